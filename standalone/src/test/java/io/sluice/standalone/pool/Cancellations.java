package io.sluice.standalone.pool;

import io.sluice.common.protocol.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** What the log says about cancelled requests. */
final class Cancellations {
  private static final Duration AT_ONCE = Duration.ofSeconds(1);
  private static final int MOST_POLLS = 60;

  private Cancellations() {}

  /** Returns whether the control topic holds a message about a request. */
  static boolean exists(String requestId, LocalPool pool) {
    try (var consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", (Object) pool.kafka()),
            new StringDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(Topics.CONTROL).stream()
              .map(info -> new TopicPartition(info.topic(), info.partition()))
              .toList();
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      boolean isFound = false;
      for (int i = 0; i < MOST_POLLS && !isRead(ends, consumer); i++) {
        for (var control : consumer.poll(AT_ONCE)) {
          isFound |= requestId.equals(control.key());
        }
      }
      if (!isRead(ends, consumer)) {
        throw new IllegalStateException("the control topic was not read to its end");
      }
      return isFound;
    }
  }

  private static boolean isRead(
      Map<TopicPartition, Long> ends, KafkaConsumer<String, byte[]> consumer) {
    return ends.entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
  }
}
