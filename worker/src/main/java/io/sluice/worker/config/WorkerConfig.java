package io.sluice.worker.config;

import io.sluice.common.protocol.Lane;
import io.sluice.common.protocol.Topics;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What one worker is told at its start. {@link WorkerSetting} lists the keys.
 *
 * @param id names the worker and its topic; 1 to 100 letters, digits, {@code . _ -}
 * @param host the address on which the port is opened
 * @param port of {@code /health} and {@code /prometheus}; 0 takes a free one
 * @param tier its quality tier; empty in pools without tiers
 * @param lanes the names of the lanes it serves; empty means all
 */
public record WorkerConfig(
    String id,
    String host,
    int port,
    Optional<String> tier,
    List<String> lanes,
    Engine engine,
    Limits limits,
    Pool pool) {

  /**
   * The engine and how long it may be silent.
   *
   * @param url its base, e.g. {@code http://127.0.0.1:8000}
   * @param model the name it is announced under; empty takes the engine's own list
   * @param apiKey sent as a bearer token
   * @param maxModelLen overrides what the engine says, in tokens
   * @param tokenBudget overrides what the engine says of its KV cache, in tokens
   * @param connectTimeout until a connection stands
   * @param headTimeout from the request to the response's head
   * @param firstTokenTimeout from the head to the first frame: queue and prefill
   * @param stallTimeout between frames
   * @param scrapeInterval between two looks at its metrics and health
   * @param draftSuits the kinds of text that its draft model was tuned for; empty without one
   * @param refuses request options that it refuses
   */
  public record Engine(
      URI url,
      Optional<String> model,
      Optional<String> apiKey,
      OptionalInt maxModelLen,
      OptionalLong tokenBudget,
      Duration connectTimeout,
      Duration headTimeout,
      Duration firstTokenTimeout,
      Duration stallTimeout,
      Duration scrapeInterval,
      List<String> draftSuits,
      List<String> refuses) {
    public Engine {
      draftSuits = List.copyOf(draftSuits);
      refuses = List.copyOf(refuses);
    }
  }

  /**
   * How much is taken on, and how it is handed out.
   *
   * @param maxConcurrent the most requests that run at once; how many do is found below it
   * @param gather how long tokens of a stream are gathered into one record; zero writes each frame
   * @param nonStreamGather the same for requests that are not streamed
   * @param drainGrace how long running requests may go on after a shutdown began
   */
  public record Limits(
      int maxConcurrent, Duration gather, Duration nonStreamGather, Duration drainGrace) {}

  /**
   * The pool that the worker belongs to.
   *
   * @param kafka bootstrap servers
   * @param redis {@code redis://host:port}
   * @param partitions of the pool's common topics; fixed for its life
   * @param replication of topics that the worker creates; empty for what the cluster has, at most 3
   * @param heartbeat between two snapshots
   * @param kafkaProperties more for every Kafka client: security and the like
   */
  public record Pool(
      String name,
      String kafka,
      String redis,
      int partitions,
      Optional<Short> replication,
      Duration heartbeat,
      Map<String, String> kafkaProperties) {
    public Pool {
      kafkaProperties = Map.copyOf(kafkaProperties);
    }
  }

  public WorkerConfig {
    lanes = List.copyOf(lanes);
    lanes.forEach(Lane::parse);
    Topics.worker(id);
  }

  /**
   * Reads settings by their keys; what is absent has its default.
   *
   * @throws IllegalArgumentException if a key is unknown, or a value is none; the message names
   *     both
   */
  public static WorkerConfig of(Map<String, String> settings) {
    return new SettingsReader(settings).read();
  }
}
