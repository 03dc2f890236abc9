package io.sluice.router.stream;

import io.sluice.common.protocol.Topics;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.processor.TimestampExtractor;

/**
 * Kafka Streams takes the input with the lowest timestamp first: outcomes and control count as time
 * 0, so that they overtake a backlog of requests.
 */
public final class LaneTimestamps implements TimestampExtractor {
  @Override
  public long extract(ConsumerRecord<Object, Object> record, long partitionTime) {
    return switch (record.topic()) {
      case Topics.OUTCOMES, Topics.CONTROL -> 0;
      default -> Math.max(0, record.timestamp());
    };
  }
}
