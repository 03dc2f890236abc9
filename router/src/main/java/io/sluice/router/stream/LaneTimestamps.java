package io.sluice.router.stream;

import io.sluice.common.protocol.Topics;
import io.sluice.router.clock.AppendTimes;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.TimestampExtractor;

/**
 * The timestamp of a request is its append time, in the pool's time. Kafka Streams takes the input
 * with the lowest timestamp first. Outcomes and controls have time 0, so they overtake a backlog of
 * requests.
 */
final class LaneTimestamps implements TimestampExtractor {
  private final AppendTimes times;

  LaneTimestamps(AppendTimes times) {
    this.times = times;
  }

  @Override
  public long extract(ConsumerRecord<Object, Object> record, long partitionTime) {
    return switch (record.topic()) {
      case Topics.OUTCOMES, Topics.CONTROL -> 0;
      default ->
          Math.max(
              0,
              times.appendedAt(
                  new TopicPartition(record.topic(), record.partition()),
                  record.offset(),
                  record.timestamp()));
    };
  }
}
