package io.sluice.producer.client;

import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.RoutingDecision;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.kafka.KafkaErrors;
import io.sluice.producer.kafka.KafkaSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Reads the routing decisions about a request. Stateless. */
public final class DecisionLog {
  /** Decisions about a request are never older than the time in its UUIDv7 minus this. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

  private static final Duration POLL = Duration.ofMillis(200);

  private DecisionLog() {}

  /**
   * Returns all decisions about a request that are still in the log, in order; one per attempt.
   *
   * @throws ClientException if the pool cannot be read
   */
  public static List<RoutingDecision> read(ClientConfig config, String requestId) {
    try (Consumer<String, byte[]> consumer = KafkaSettings.consumer(config)) {
      return read(consumer, requestId, config);
    } catch (KafkaException e) {
      throw KafkaErrors.connecting(e, config.bootstrapServers());
    }
  }

  static List<RoutingDecision> read(
      Consumer<String, byte[]> consumer, String requestId, ClientConfig config) {
    Duration bound = config.connectTimeout();
    int partitions = consumer.partitionsFor(Topics.DECISIONS, bound).size();
    if (partitions == 0) {
      throw KafkaErrors.noPool(config.bootstrapServers());
    }
    TopicPartition partition =
        new TopicPartition(Topics.DECISIONS, Partitions.of(requestId, partitions));
    consumer.assign(List.of(partition));
    long end = consumer.endOffsets(List.of(partition), bound).getOrDefault(partition, 0L);
    consumer.seek(partition, start(consumer, partition, requestId, bound).orElse(end));
    List<RoutingDecision> found = new ArrayList<>();
    while (consumer.position(partition, bound) < end) {
      for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) {
        if (requestId.equals(record.key())) {
          RoutingDecision.parse(record.value()).ifPresent(found::add);
        }
      }
    }
    return found;
  }

  /**
   * Returns the first offset to read; empty if nothing was written since the request was created.
   */
  private static Optional<Long> start(
      Consumer<String, byte[]> consumer,
      TopicPartition partition,
      String requestId,
      Duration bound) {
    long since =
        RequestId.timeOf(requestId).map(made -> made.minus(CLOCK_SKEW).toEpochMilli()).orElse(0L);
    OffsetAndTimestamp offset =
        consumer.offsetsForTimes(Map.of(partition, Math.max(0, since)), bound).get(partition);
    return Optional.ofNullable(offset).map(OffsetAndTimestamp::offset);
  }
}
