package io.sluice.router.bulk;

import io.sluice.common.protocol.Topics;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** The records in the bulk topic itself, by offset. Not thread-safe. */
final class KafkaBulkRecords implements BulkRecords {
  private static final Duration POLL = Duration.ofMillis(100);

  /** Includes the records that are skipped on the way to the next wanted one. */
  private static final int MOST_POLLS_IN_VAIN = 200;

  /** If the next wanted record is this near, reading on is faster than seeking. */
  private static final long NEAR = 10;

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
  public Map<ParkedRequest, ConsumerRecord<byte[], byte[]>> read(List<ParkedRequest> requests) {
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
    while (!wanted.isEmpty()) {
      int before = found.size();
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        var offsets = wanted.get(new TopicPartition(record.topic(), record.partition()));
        ParkedRequest request = offsets == null ? null : offsets.remove(record.offset());
        if (request != null) {
          found.put(request, record);
        }
      }
      pollsInVain = found.size() > before ? 0 : pollsInVain + 1;
      if (pollsInVain > MOST_POLLS_IN_VAIN) {
        throw new KafkaException("parked bulk requests cannot be read again; check Kafka");
      }
      wanted.entrySet().removeIf(entry -> isDone(entry.getKey(), entry.getValue()));
    }
    return found;
  }

  /** Advances to the next wanted record. Wanted records that were passed are gone. */
  private boolean isDone(TopicPartition partition, NavigableMap<Long, ParkedRequest> offsets) {
    long position = consumer.position(partition);
    offsets.headMap(position).clear();
    if (offsets.isEmpty()) {
      consumer.pause(List.of(partition));
      return true;
    }
    if (offsets.firstKey() > position + NEAR) {
      consumer.seek(partition, offsets.firstKey());
    }
    return false;
  }

  @Override
  public void close() {
    consumer.close();
  }
}
