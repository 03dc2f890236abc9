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

/** Records in the bulk topic itself, by their offsets. Not thread-safe. */
final class KafkaBulkRecords implements BulkRecords {
  private static final Duration POLL = Duration.ofMillis(100);

  /** Those that are passed by on the way to the next one wanted included. */
  private static final int MOST_POLLS_IN_VAIN = 200;

  /** To the next one wanted it is read on, rather than asked anew, if it is so near. */
  private static final long NEAR = 10;

  private final Consumer<byte[], byte[]> consumer;

  /**
   * Records that are read by a consumer which becomes its own.
   *
   * @param consumer resets to the earliest offset where a wanted one is gone
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
    // What was assigned before stays as it was, at a standstill.
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
        throw new KafkaException("parked bulk requests cannot be read again; is Kafka well?");
      }
      wanted.entrySet().removeIf(entry -> isDone(entry.getKey(), entry.getValue()));
    }
    return found;
  }

  /** Goes to the next record that is wanted; those that were passed by are gone. */
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
