package io.sluice.router.bulk;

import io.sluice.common.protocol.Topics;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records in the bulk topic itself, by offset. A partition that does not answer leaves those of
 * the others readable. Not thread-safe.
 */
final class KafkaBulkRecords implements BulkRecords {
  private static final Duration POLL = Duration.ofMillis(100);

  /**
   * Includes the records that are skipped on the way to the next wanted one. The requests of all
   * other partitions wait meanwhile.
   */
  private static final int MOST_POLLS_IN_VAIN = 30;

  /** If the next wanted record is this near, reading on is faster than seeking. */
  private static final long NEAR = 10;

  private static final Logger log = LoggerFactory.getLogger(KafkaBulkRecords.class);

  private final Consumer<byte[], byte[]> consumer;

  /**
   * Creates an instance over a consumer that it owns from now on.
   *
   * @param consumer resets to the earliest offset if a wanted record is gone
   */
  KafkaBulkRecords(Consumer<byte[], byte[]> consumer) {
    this.consumer = consumer;
  }

  @Override
  public Reading read(List<ParkedRequest> requests) {
    Map<TopicPartition, NavigableMap<Long, ParkedRequest>> wanted = new HashMap<>();
    for (ParkedRequest request : requests) {
      wanted
          .computeIfAbsent(
              new TopicPartition(Topics.BULK, request.partition()), any -> new TreeMap<>())
          .put(request.offset(), request);
    }
    consumer.assign(wanted.keySet());
    // Partitions that were assigned before stay assigned, paused.
    consumer.resume(wanted.keySet());
    wanted.forEach((partition, offsets) -> consumer.seek(partition, offsets.firstKey()));
    Map<ParkedRequest, ConsumerRecord<byte[], byte[]>> found = new HashMap<>();
    int pollsInVain = 0;
    while (!wanted.isEmpty() && pollsInVain <= MOST_POLLS_IN_VAIN) {
      int before = found.size();
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        var offsets = wanted.get(new TopicPartition(record.topic(), record.partition()));
        ParkedRequest request = offsets == null ? null : offsets.remove(record.offset());
        if (request != null) {
          found.put(request, record);
        }
      }
      pollsInVain = found.size() > before ? 0 : pollsInVain + 1;
      wanted.entrySet().removeIf(entry -> isDone(entry.getKey(), entry.getValue()));
    }
    Set<ParkedRequest> unread =
        wanted.values().stream()
            .flatMap(offsets -> offsets.values().stream())
            .collect(Collectors.toSet());
    return new Reading(found, unread);
  }

  private boolean isDone(TopicPartition partition, NavigableMap<Long, ParkedRequest> offsets) {
    if (!offsets.isEmpty()) {
      advance(partition, offsets);
    }
    if (offsets.isEmpty()) {
      consumer.pause(List.of(partition));
      return true;
    }
    return false;
  }

  /** Goes to the next wanted record. Wanted records that were passed are gone. */
  private void advance(TopicPartition partition, NavigableMap<Long, ParkedRequest> offsets) {
    try {
      long position = consumer.position(partition, Duration.ZERO);
      offsets.headMap(position).clear();
      if (!offsets.isEmpty() && offsets.firstKey() > position + NEAR) {
        consumer.seek(partition, offsets.firstKey());
      }
    } catch (TimeoutException e) {
      log.debug("event=bulk_position_unknown partition={}", partition);
    }
  }

  @Override
  public void close() {
    consumer.close(CloseOptions.timeout(BulkFeeder.CLOSE_WITHIN));
  }
}
