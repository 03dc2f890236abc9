package io.sluice.worker.config;

import io.sluice.common.protocol.Lane;
import io.sluice.common.protocol.Topics;
import io.sluice.config.InvalidSettingsException;
import io.sluice.config.Setting;
import io.sluice.config.SettingSources;
import io.sluice.config.Settings;
import io.sluice.config.SettingsSchema;
import io.sluice.fleet.PoolSettings;
import io.sluice.tracing.TraceSettings;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * The settings of one worker.
 *
 * @param id names the worker and its topic; 1 to 100 letters, digits, {@code . _ -}
 * @param host the address on which the port is opened
 * @param port of {@code /health}, {@code /healthz} and {@code /metrics}; 0 takes a free one
 * @param tier its quality tier; empty in pools without tiers
 * @param lanes the lanes it serves; empty means all
 * @param heartbeat between two snapshots
 * @param metricNames under which names metrics with two names are exported
 * @param warmUp how a new engine is warmed up
 * @param watchdog when the engine is restarted, and how
 * @param notice how it learns that its machine is about to go
 * @param gpu how hot GPUs are noticed
 * @param trace where spans are sent
 */
@Settings(service = "worker", environmentPrefix = "SLUICE_")
public record WorkerConfig(
    @Setting(
            environment = "SLUICE_WORKER_ID",
            meaning =
                "The worker's id, unique in the pool: 1 to 100 letters, digits, `.`, `_`, `-`.")
        String id,
    @Setting(
            environment = "SLUICE_WORKER_HOST",
            defaultValue = "127.0.0.1",
            unit = "address",
            meaning =
                "The address on which the port is opened; `0.0.0.0` for all of the machine. The port asks"
                    + " for no password.")
        String host,
    @Setting(
            environment = "SLUICE_WORKER_PORT",
            defaultValue = "8081",
            unit = "port",
            min = 0,
            max = 65_535,
            meaning = "Port of `/health`, `/healthz` and `/metrics`; 0 takes a free one.")
        int port,
    @Setting(meaning = "The quality tier: `fast`, `balanced` or `precise`.") Optional<String> tier,
    @Setting(
            otherwise = "all",
            unit = "lanes",
            meaning = "The lanes that the worker serves, such as `2k,8k`.")
        List<Lane> lanes,
    @Setting(
            key = "heartbeat-millis",
            defaultValue = "250",
            unit = "ms",
            min = 10,
            max = 86_400_000,
            meaning = "The time between two snapshots.")
        Duration heartbeat,
    @Setting(
            defaultValue = "both",
            meaning =
                "The names of the metrics that OpenTelemetry's GenAI conventions name: `sluice`,"
                    + " `gen-ai` or `both`. See [metrics](metrics.md#opentelemetrys-names).")
        MetricNames metricNames,
    Engine engine,
    Limits limits,
    WarmUpSettings warmUp,
    WatchdogSettings watchdog,
    NoticeSettings notice,
    GpuSettings gpu,
    TraceSettings trace,
    PoolSettings pool) {

  /** The settings, their keys and their defaults. */
  public static final SettingsSchema<WorkerConfig> SCHEMA = SettingsSchema.of(WorkerConfig.class);

  /**
   * The engine and how long it may be silent.
   *
   * @param url its base, e.g. {@code http://127.0.0.1:8000}, without {@code /v1}
   * @param model the name it is announced under; empty takes the engine's own list
   * @param apiKey sent as a bearer token
   * @param maxModelLen overrides what the engine says, in tokens
   * @param tokenBudget overrides what the engine says of its KV cache, in tokens
   * @param connectTimeout until a connection is open
   * @param headTimeout from the request to the response's head
   * @param firstTokenTimeout from the head to the first frame: queue and prefill
   * @param stallTimeout between frames
   * @param scrapeInterval between two scrapes of its metrics and health
   * @param draftSuits the kinds of text that its draft model was tuned for; empty without one
   * @param refuses request options that it refuses
   */
  public record Engine(
      @Setting(
              key = "engine-url",
              aliases = "engine",
              defaultValue = "http://127.0.0.1:8000",
              unit = "URL",
              meaning = "The engine's base URL, with or without `/v1`.")
          URI url,
      @Setting(otherwise = "what the engine lists", meaning = "The model name to serve under.")
          Optional<String> model,
      @Setting(
              key = "engine-api-key",
              secret = true,
              meaning = "The bearer token that the engine asks for.")
          Optional<String> apiKey,
      @Setting(
              otherwise = "the engine's",
              unit = "tokens",
              min = 1,
              meaning = "The longest prompt plus output.")
          OptionalInt maxModelLen,
      @Setting(
              otherwise = "the engine's KV cache",
              unit = "tokens",
              min = 1,
              meaning = "Tokens of context that the engine holds at once.")
          OptionalLong tokenBudget,
      @Setting(
              key = "connect-timeout-millis",
              defaultValue = "2000",
              unit = "ms",
              min = 1,
              max = 86_400_000,
              meaning = "The longest time to connect to the engine.")
          Duration connectTimeout,
      @Setting(
              key = "head-timeout-millis",
              defaultValue = "30000",
              unit = "ms",
              min = 1,
              max = 86_400_000,
              meaning =
                  "The longest time until the engine's response begins. Engines other than vLLM"
                      + " begin with the first token, and have `first-token-timeout-millis` in"
                      + " addition.")
          Duration headTimeout,
      @Setting(
              key = "first-token-timeout-millis",
              defaultValue = "120000",
              unit = "ms",
              min = 1,
              max = 86_400_000,
              meaning =
                  "The longest time from the beginning of the response to the first token: queue"
                      + " and prefill. At least 10 min where the engine may"
                      + " [withhold tokens](worker.md#how-long-it-waits-for-an-answer).")
          Duration firstTokenTimeout,
      @Setting(
              key = "stall-timeout-millis",
              defaultValue = "10000",
              unit = "ms",
              min = 1,
              max = 86_400_000,
              meaning =
                  "The longest time between two tokens. At least 10 min where the engine may"
                      + " [withhold tokens](worker.md#how-long-it-waits-for-an-answer).")
          Duration stallTimeout,
      @Setting(
              key = "scrape-millis",
              defaultValue = "500",
              unit = "ms",
              min = 10,
              max = 86_400_000,
              meaning = "The time between two scrapes of the engine's metrics and health.")
          Duration scrapeInterval,
      @Setting(
              unit = "kinds of text",
              meaning = "What the engine's draft model was tuned for, such as `code`.")
          List<String> draftSuits,
      @Setting(
              otherwise = "none; with `draft-suits` `best_of,beam_search`",
              unit = "request options",
              meaning = "The request options that the engine refuses; `none` for no options.")
          List<String> refuses) {
    /** OpenAI's own clients want the API's version in the base URL; here it is in the endpoints. */
    private static final Pattern API_SUFFIX = Pattern.compile("(/v1)?/?$");

    public Engine {
      url = URI.create(API_SUFFIX.matcher(url.toString()).replaceFirst(""));
      if (!"http".equals(url.getScheme()) && !"https".equals(url.getScheme())) {
        throw new IllegalArgumentException(
            "--engine-url is '%s', but must be a URL such as http://127.0.0.1:8000".formatted(url));
      }
      draftSuits = List.copyOf(draftSuits);
      refuses = List.copyOf(refuses);
    }

    /**
     * Returns the request options that the engine refuses.
     *
     * @param withDraft those that its kind refuses with a draft model
     */
    public List<String> refused(List<String> withDraft) {
      if (refuses.isEmpty() && !draftSuits.isEmpty()) {
        return withDraft;
      }
      return refuses.equals(List.of("none")) ? List.of() : refuses;
    }
  }

  /**
   * How much the worker takes on, and how it hands tokens out.
   *
   * @param maxConcurrent the most requests that run at once; the worker finds its limit below it
   * @param gather how long tokens of a stream are gathered into one record; zero writes each frame
   * @param nonStreamGather the same for requests that are not streamed
   * @param drainGrace how long running requests may continue after a shutdown began
   */
  public record Limits(
      @Setting(
              defaultValue = "256",
              unit = "requests",
              min = 1,
              max = 100_000,
              meaning =
                  "The maximum number of requests in the engine at once; the worker finds how"
                      + " many the engine"
                      + " takes well below it. Set it to the engine's `max-num-seqs`.")
          int maxConcurrent,
      @Setting(
              key = "gather-millis",
              defaultValue = "10",
              unit = "ms",
              min = 0,
              max = 86_400_000,
              meaning =
                  "The shortest time between two records of a stream: tokens that come faster share"
                      + " a record, unless the engine sends more than 32 KiB meanwhile. 0 writes a"
                      + " record per engine chunk.")
          Duration gather,
      @Setting(
              key = "non-stream-gather-millis",
              defaultValue = "2000",
              unit = "ms",
              min = 0,
              max = 86_400_000,
              meaning =
                  "The same for requests that are not streamed. The first record of an answer leaves"
                      + " after an eighth of this time.")
          Duration nonStreamGather,
      @Setting(
              key = "drain-grace-millis",
              defaultValue = "30000",
              unit = "ms",
              min = 0,
              max = 86_400_000,
              meaning =
                  "How long running requests may continue after SIGTERM before they are handed"
                      + " back.")
          Duration drainGrace) {}

  public WorkerConfig {
    lanes = List.copyOf(lanes);
    Topics.worker(id);
  }

  /**
   * Reads settings by their keys; what is absent has its default.
   *
   * @throws InvalidSettingsException if a key is unknown or a value is wrong
   */
  public static WorkerConfig of(Map<String, String> settings) {
    return SCHEMA.read(SettingSources.of(settings));
  }
}
