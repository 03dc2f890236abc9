package io.sluice.producer.client;

import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.RoutingDecision;
import io.sluice.common.protocol.Topics;
import io.sluice.common.protocol.UnservedRequest;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.follow.EarliestTime;
import io.sluice.producer.kafka.BoundedRead;
import io.sluice.producer.kafka.KafkaErrors;
import io.sluice.producer.kafka.KafkaSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Reads the routing decisions about a request. Stateless. */
public final class DecisionLog {
  private static final Duration LIMIT = Duration.ofSeconds(60);

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
      throw KafkaErrors.reading(
          e,
          config.bootstrapServers(),
          Topics.DECISIONS,
          "an id that begins with its time, as those that Sluice makes, is found faster");
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
    BoundedRead reading = new BoundedRead(consumer, bound, System::nanoTime);
    List<byte[]> found = new ArrayList<>();
    reading.read(
        reading.ranges(List.of(partition), Optional.of(EarliestTime.of(requestId))),
        LIMIT,
        record -> {
          if (requestId.equals(record.key())) {
            found.add(record.value());
          }
        });
    Story story = new Story(List.of(), Optional.empty());
    for (byte[] json : found) {
      story = story.with(json);
    }
    return story;
  }
}
