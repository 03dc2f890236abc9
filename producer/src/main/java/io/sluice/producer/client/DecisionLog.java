package io.sluice.producer.client;

import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.RoutingDecision;
import io.sluice.common.protocol.Topics;
import io.sluice.common.protocol.UnservedRequest;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.kafka.KafkaErrors;
import io.sluice.producer.kafka.KafkaSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Reads the routing decisions about a request. Stateless. */
public final class DecisionLog {
  /** Decisions about a request are never older than the time in its UUIDv7 minus this. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

  private static final Duration POLL = Duration.ofMillis(200);

  private DecisionLog() {}

  /**
   * What routers have written about a request.
   *
   * @param decisions in order, one per attempt
   * @param unserved that it waits for a worker of its model to start; empty if it never did, or was
   *     sent to a worker since
   */
  public record Story(List<RoutingDecision> decisions, Optional<UnservedRequest> unserved) {
    Story with(byte @Nullable [] json) {
      Optional<RoutingDecision> decision = RoutingDecision.parse(json);
      if (decision.isPresent()) {
        return new Story(
            Stream.concat(decisions.stream(), decision.stream()).toList(), Optional.empty());
      }
      Optional<UnservedRequest> more = UnservedRequest.parse(json).map(this::sinceTheFirst);
      return more.isPresent() ? new Story(decisions, more) : this;
    }

    /** A router that took the request over knows only when it did so. */
    private UnservedRequest sinceTheFirst(UnservedRequest latest) {
      return unserved
          .filter(first -> first.sinceEpochMillis() < latest.sinceEpochMillis())
          .map(first -> latest.since(first.sinceEpochMillis()))
          .orElse(latest);
    }
  }

  /**
   * Returns all decisions about a request that are still in the log, in order; one per attempt.
   *
   * @throws ClientException if the pool cannot be read
   */
  public static List<RoutingDecision> read(ClientConfig config, String requestId) {
    return story(config, requestId).decisions();
  }

  /**
   * Returns everything about a request that is still in the log.
   *
   * @throws ClientException if the pool cannot be read
   */
  public static Story story(ClientConfig config, String requestId) {
    try (Consumer<String, byte[]> consumer = KafkaSettings.consumer(config)) {
      return read(consumer, requestId, config);
    } catch (KafkaException e) {
      throw KafkaErrors.connecting(e, config.bootstrapServers());
    }
  }

  static Story read(Consumer<String, byte[]> consumer, String requestId, ClientConfig config) {
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
    Story found = new Story(List.of(), Optional.empty());
    while (consumer.position(partition, bound) < end) {
      for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) {
        if (requestId.equals(record.key())) {
          found = found.with(record.value());
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
