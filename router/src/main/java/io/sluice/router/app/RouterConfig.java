package io.sluice.router.app;

import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.PoolTopics;
import io.sluice.config.InvalidSettingsException;
import io.sluice.config.Setting;
import io.sluice.config.SettingSources;
import io.sluice.config.Settings;
import io.sluice.config.SettingsSchema;
import io.sluice.fleet.PoolSettings;
import io.sluice.router.catalog.FallbackModels;
import io.sluice.router.catalog.ModelCatalog;
import io.sluice.router.classify.ClassifierRules;
import io.sluice.router.policy.PolicyWeights;
import io.sluice.router.queue.Backlog;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of one router.
 *
 * @param givenId names the router among others; empty for the host's name
 * @param host the address on which the port is opened
 * @param port of {@code /health} and {@code /prometheus}; 0 takes a free one
 * @param threads the stream threads that share the partitions
 * @param lanes of the pool; fixed for its life
 * @param models what is served, and by what else
 * @param limits beyond which requests are refused
 * @param tierSettings the tiers, and how requests are put into them
 * @param weights what counts in the choice of a worker
 * @param stateDirectory where Kafka Streams keeps its locks; empty for a temporary one
 */
@Settings(service = "router", environmentPrefix = "SLUICE_")
public record RouterConfig(
    @Setting(
            key = "id",
            environment = "SLUICE_ROUTER_ID",
            otherwise = "the host's name",
            meaning =
                "The router's id, unique among the routers. A router that comes back under its id"
                    + " gets its partitions back.")
        Optional<String> givenId,
    @Setting(
            environment = "SLUICE_ROUTER_HOST",
            defaultValue = "0.0.0.0",
            unit = "address",
            meaning = "The address on which the port is opened.")
        String host,
    @Setting(
            environment = "SLUICE_ROUTER_PORT",
            defaultValue = "8090",
            unit = "port",
            min = 0,
            max = 65_535,
            meaning = "Port of `/health` and `/prometheus`; 0 takes a free one.")
        int port,
    @Setting(
            environment = "SLUICE_ROUTER_THREADS",
            defaultValue = "2",
            unit = "threads",
            min = 1,
            max = 256,
            meaning = "Stream threads.")
        int threads,
    @Setting(
            environment = "SLUICE_POOL_LANES",
            defaultValue = "2k,8k,32k,128k",
            unit = "tokens",
            meaning = "The pool's lanes by context length; fixed for its life.")
        Lanes lanes,
    Models models,
    Limits limits,
    Tiers tierSettings,
    @Setting(
            otherwise = "none",
            unit = "name=number,...",
            meaning =
                "What counts in the choice of a worker, where it differs from the default weights,"
                    + " such as `ttft=8,prefix=0.5`.")
        PolicyWeights weights,
    @Setting(
            key = "state-dir",
            otherwise = "a temporary one",
            unit = "directory",
            meaning =
                "The directory of Kafka Streams' locks. The state itself is in memory and in"
                    + " changelog topics.")
        Optional<Path> stateDirectory,
    PoolSettings pool) {

  /** The settings, their keys and their defaults. */
  public static final SettingsSchema<RouterConfig> SCHEMA = SettingsSchema.of(RouterConfig.class);

  /**
   * The models that the pool serves.
   *
   * @param catalogue models that are waited for, whoever is alive
   * @param grace how long requests wait for a worker to join that serves their model
   * @param fallbacks which model stands in for which
   * @param assumedOutputTokens the output that is assumed for a request that does not limit it
   */
  public record Models(
      @Setting(
              key = "models",
              otherwise = "none",
              unit = "name=tokens,...",
              meaning =
                  "The models that the pool is there to serve, and their longest context. Requests"
                      + " for them wait for a worker until their deadline, and longer requests are"
                      + " refused at once. The first one is the default model. If any are given, a"
                      + " model that is neither listed nor served by a worker is refused at once; if"
                      + " none are given, after `--model-grace`.")
          ModelCatalog catalogue,
      @Setting(
              key = "model-grace",
              environment = "SLUICE_MODEL_GRACE_SECONDS",
              defaultValue = "10",
              unit = "s",
              min = 0,
              max = 86_400,
              meaning =
                  "How long a request waits for a worker to join that serves its model, or its"
                      + " length, before it ends with `model_not_found` or"
                      + " `context_length_exceeded`. Time does not count while Redis is away, while no"
                      + " worker is known, or, for up to an hour, while the engine of a worker has not"
                      + " answered since it or the router started. A model that was served within the"
                      + " last hour is waited for until the deadline.")
          Duration grace,
      @Setting(
              key = "fallback",
              otherwise = "none",
              unit = "model=fallback,...",
              meaning =
                  "Models that stand in for others that have no worker with room. Bulk requests use"
                      + " only a fallback that they name themselves.")
          FallbackModels fallbacks,
      @Setting(
              key = "assumed-output",
              environment = "SLUICE_ASSUMED_OUTPUT_TOKENS",
              defaultValue = "512",
              unit = "tokens",
              min = 1,
              max = 10_000_000,
              meaning =
                  "The output of a chat without `max_tokens`, for lanes and reservations. A"
                      + " completion without it gets 16.")
          int assumedOutputTokens) {}

  /**
   * Beyond which requests are refused.
   *
   * @param maxPending requests that wait in this router
   * @param maxPendingBytes the same in bytes of the heap; 0 for a quarter of the heap
   * @param maxWait how long an interactive request may wait, or be expected to wait, while others
   *     of its kind are served
   * @param maxFailures attempts that may fail before the caller is told
   * @param longestDeadline longer deadlines are refused
   */
  public record Limits(
      @Setting(
              defaultValue = "100000",
              unit = "requests",
              min = 1,
              max = 1_000_000_000,
              meaning =
                  "The most requests that wait in this router; beyond it new ones are"
                      + " `overloaded`.")
          int maxPending,
      @Setting(
              defaultValue = "0",
              unit = "bytes",
              min = 0,
              meaning =
                  "The same in bytes of the router's heap. A waiting request takes 1.2 KB and three"
                      + " times the length of its names, whatever its prompt, which stays in Kafka."
                      + " 0 means a quarter of the heap, which leaves room for the backlog of a lost"
                      + " router and for a standby copy.")
          long maxPendingBytes,
      @Setting(
              environment = "SLUICE_MAX_WAIT_SECONDS",
              defaultValue = "30",
              unit = "s",
              min = 0,
              max = 86_400,
              meaning =
                  "The longest wait for a worker. An interactive or urgent request that would wait"
                      + " longer, or beyond its deadline, is `overloaded` at once. The wait is"
                      + " estimated from the tokens ahead of it in its model, lane and tiers and from"
                      + " what the pool served of these lately; while that is not known, nothing is"
                      + " refused. A request that has waited this long for its first worker, while"
                      + " others of its kind were served without a pause of 10 s (or half of this"
                      + " setting), is `overloaded` too. Bulk may always wait.")
          Duration maxWait,
      @Setting(
              defaultValue = "3",
              unit = "attempts",
              min = 1,
              max = 1_000,
              meaning =
                  "Attempts that may fail, in engines or by breaking their workers, before the"
                      + " caller gets an error. An attempt that adds tokens resets the count."
                      + " Rejections, busy engines and a log that cannot be read or written do not"
                      + " count.")
          int maxFailures,
      @Setting(
              key = "max-deadline",
              environment = "SLUICE_MAX_DEADLINE_HOURS",
              defaultValue = "24",
              unit = "h",
              min = 24,
              max = 8_784,
              meaning =
                  "The longest deadline; longer ones are refused, with 10 minutes of grace. The"
                      + " pool's topics keep records for a day longer: a router raises their"
                      + " `retention.ms` at its start where it is less. Reply topics of services are"
                      + " theirs to set.")
          Duration longestDeadline) {

    public Limits {
      if (longestDeadline.compareTo(PoolTopics.LONGEST_DEADLINE) < 0) {
        throw new IllegalArgumentException(
            "the longest deadline must be at least %d hours, not %d"
                .formatted(PoolTopics.LONGEST_DEADLINE.toHours(), longestDeadline.toHours()));
      }
    }

    /**
     * What may wait in this router. By default it takes a quarter of the heap: as much may come
     * from a router that is lost, and as much stand by for another one.
     */
    public Backlog.Limits backlog() {
      return new Backlog.Limits(
          maxPending,
          maxPendingBytes == 0 ? Runtime.getRuntime().maxMemory() / 4 : maxPendingBytes);
    }
  }

  /**
   * The pool's tiers, and how requests are put into them.
   *
   * @param names from the quickest to the most precise
   * @param words two limits of a prompt's words
   * @param outputTokens two limits of {@code max_tokens}
   * @param exactTemperature at most this hot, complex requests are for the most precise tier
   */
  public record Tiers(
      @Setting(
              key = "tiers",
              defaultValue = ClassifierRules.STANDARD_TIERS,
              unit = "names",
              meaning =
                  "The quality tiers, quickest first. A request without a tier is put into one."
                      + " Empty: a pool without tiers. Workers without a tier serve every tier.")
          List<String> names,
      @Setting(
              key = "tier-words",
              defaultValue = "150,300",
              unit = "words",
              meaning =
                  "Prompts of more words than the first number are not for the quickest tier, of more"
                      + " than the second they are complex.")
          String words,
      @Setting(
              key = "tier-output",
              environment = "SLUICE_TIER_OUTPUT_TOKENS",
              defaultValue = "512,1024",
              unit = "tokens",
              meaning = "The same limits for `max_tokens`.")
          String outputTokens,
      @Setting(
              key = "tier-temperature",
              defaultValue = "0.3",
              min = 0,
              max = 10,
              meaning =
                  "Complex requests with at most this temperature are for the most precise tier.")
          double exactTemperature) {

    public Tiers {
      names = List.copyOf(names);
      rules(names, words, outputTokens, exactTemperature);
    }

    /** The rules by which requests are put into tiers. */
    public ClassifierRules rules() {
      return rules(names, words, outputTokens, exactTemperature);
    }

    private static ClassifierRules rules(
        List<String> names, String words, String outputTokens, double exactTemperature) {
      return ClassifierRules.parse(String.join(",", names), words, outputTokens, exactTemperature);
    }
  }

  /** The router's id. */
  public String id() {
    return givenId.orElseGet(RouterConfig::hostName);
  }

  /**
   * Reads settings by their keys; what is absent has its default.
   *
   * @throws InvalidSettingsException if a key is unknown or a value is wrong
   */
  public static RouterConfig of(Map<String, String> settings) {
    return SCHEMA.read(SettingSources.of(settings));
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "router";
    }
  }
}
