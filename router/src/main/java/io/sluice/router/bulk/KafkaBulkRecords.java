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
  private static final Duration POLL = Duration.ofMillis(500);
  private static final int MOST_POLLS_WITHOUT_RECORDS = 20;

  /** To the next one wanted it is read on, rather than asked anew, if it is so near. */
  private static final long NEAR = 100;

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
    wanted.forEach((partition, offsets) -> consumer.seek(partition, offsets.firstKey()));
    Map<ParkedRequest, ConsumerRecord<byte[], byte[]>> found = new HashMap<>();
    int emptyPolls = 0;
    while (!wanted.isEmpty()) {
      var records = consumer.poll(POLL);
      emptyPolls = records.isEmpty() ? emptyPolls + 1 : 0;
      if (emptyPolls > MOST_POLLS_WITHOUT_RECORDS) {
        throw new KafkaException("parked bulk requests cannot be read again; is Kafka well?");
      }
      for (ConsumerRecord<byte[], byte[]> record : records) {
        var offsets = wanted.get(new TopicPartition(record.topic(), record.partition()));
        ParkedRequest request = offsets == null ? null : offsets.remove(record.offset());
        if (request != null) {
          found.put(request, record);
        }
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
