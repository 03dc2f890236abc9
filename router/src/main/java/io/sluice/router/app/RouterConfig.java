package io.sluice.router.app;

import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.PoolTopics;
import io.sluice.router.catalog.FallbackModels;
import io.sluice.router.catalog.ModelCatalogue;
import io.sluice.router.classify.ClassifierRules;
import io.sluice.router.policy.PolicyWeights;
import io.sluice.router.queue.Backlog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What a router is started with; see {@code docs/configuration.md}.
 *
 * @param id names the router among others, and keeps its partitions over a restart; unique in the
 *     pool
 * @param kafka bootstrap servers, {@code host:port,...}
 * @param kafkaProperties further client properties, such as those for security
 * @param redis {@code redis://host:port}
 * @param pool the pool's name, under which its keys stand in Redis
 * @param host the address on which {@code /health} and {@code /prometheus} are answered
 * @param port of {@code /health} and {@code /prometheus}; 0 for a free one
 * @param partitions of the pool's topics; fixed for a pool's life
 * @param replication of the pool's topics and the router's changelogs; empty for what the cluster
 *     has, at most 3
 * @param models what the pool is there to serve
 * @param streamThreads how many stream threads share the partitions
 * @param maxPending how much may wait in this router before new requests are refused
 * @param maxFailures attempts that may fail in an engine before the caller is told
 * @param longestDeadline beyond this, from when a request came, deadlines are refused
 * @param assumedOutputTokens how much output a request is taken to want that does not say
 * @param weights what counts in the choice of a worker
 * @param maxWait how long an interactive request may wait, or be expected to wait, while others of
 *     its kind are served, before it is refused
 * @param modelGrace how long requests wait for a worker to join that serves their model
 * @param tiers the pool's tiers, and how requests are put into them
 * @param fallbacks which model stands in for which
 * @param stateDirectory where Kafka Streams keeps its locks; empty for a temporary one
 */
public record RouterConfig(
    String id,
    String kafka,
    Map<String, String> kafkaProperties,
    String redis,
    String pool,
    String host,
    int port,
    int partitions,
    Optional<Short> replication,
    Lanes lanes,
    ModelCatalogue models,
    int streamThreads,
    Backlog.Limits maxPending,
    int maxFailures,
    Duration longestDeadline,
    int assumedOutputTokens,
    PolicyWeights weights,
    Duration maxWait,
    Duration modelGrace,
    ClassifierRules tiers,
    FallbackModels fallbacks,
    Optional<Path> stateDirectory) {
  /**
   * A configuration.
   *
   * @throws IllegalArgumentException if the longest deadline is shorter than that of bulk requests
   *     which name none
   */
  public RouterConfig {
    if (longestDeadline.compareTo(PoolTopics.LONGEST_DEADLINE) < 0) {
      throw new IllegalArgumentException(
          "the longest deadline must be at least %d hours, not %d"
              .formatted(PoolTopics.LONGEST_DEADLINE.toHours(), longestDeadline.toHours()));
    }
    kafkaProperties = Map.copyOf(kafkaProperties);
  }

  /**
   * So many requests, as far as a quarter of this process's heap bears them: as much may come from
   * a router that is lost, and as much stand by for another one.
   */
  public static Backlog.Limits pendingLimits(int requests) {
    return new Backlog.Limits(requests, Runtime.getRuntime().maxMemory() / 4);
  }
}
