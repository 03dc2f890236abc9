package io.sluice.worker.config;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Every key of a worker's configuration, with its default and its meaning. */
public enum WorkerSetting {
  ID("SLUICE_WORKER_ID", "", "the worker's id; required, unique in the pool"),
  PORT("SLUICE_WORKER_PORT", "8081", "port of /health, /healthz and /prometheus; 0 = any free"),
  HOST("SLUICE_WORKER_HOST", "0.0.0.0", "address on which the port is opened"),
  ENGINE_URL("SLUICE_ENGINE_URL", "http://127.0.0.1:8000", "the engine's base URL"),
  ENGINE_API_KEY("SLUICE_ENGINE_API_KEY", "", "bearer token for the engine"),
  MODEL("SLUICE_MODEL", "", "model name to serve under; default: what the engine lists"),
  TIER("SLUICE_TIER", "", "quality tier: fast, balanced or precise; default: none"),
  LANES("SLUICE_LANES", "", "lanes to serve, e.g. 2k,8k; default: all"),
  MAX_CONCURRENT("SLUICE_MAX_CONCURRENT", "256", "the most requests that run at once"),
  TOKEN_BUDGET("SLUICE_TOKEN_BUDGET", "", "tokens of KV cache; default: what the engine says"),
  MAX_MODEL_LEN("SLUICE_MAX_MODEL_LEN", "", "longest context in tokens; default: the engine's"),
  DRAFT_SUITS("SLUICE_DRAFT_SUITS", "", "text that the draft model is for, e.g. code"),
  REFUSES(
      "SLUICE_REFUSES",
      "",
      "options the engine refuses, or none; default with draft-suits: best_of,beam_search"),
  GATHER_MILLIS("SLUICE_GATHER_MILLIS", "20", "gathers a stream's tokens per record, ms"),
  NON_STREAM_GATHER_MILLIS(
      "SLUICE_NON_STREAM_GATHER_MILLIS", "2000", "the same for requests not streamed, ms"),
  HEARTBEAT_MILLIS("SLUICE_HEARTBEAT_MILLIS", "250", "between two snapshots, ms"),
  SCRAPE_MILLIS("SLUICE_SCRAPE_MILLIS", "500", "between two scrapes of the engine, ms"),
  CONNECT_TIMEOUT_MILLIS("SLUICE_CONNECT_TIMEOUT_MILLIS", "2000", "to connect to the engine, ms"),
  HEAD_TIMEOUT_MILLIS("SLUICE_HEAD_TIMEOUT_MILLIS", "30000", "until the engine answers, ms"),
  FIRST_TOKEN_TIMEOUT_MILLIS(
      "SLUICE_FIRST_TOKEN_TIMEOUT_MILLIS", "120000", "from its answer to the first token, ms"),
  STALL_TIMEOUT_MILLIS("SLUICE_STALL_TIMEOUT_MILLIS", "10000", "between two tokens, ms"),
  DRAIN_GRACE_MILLIS(
      "SLUICE_DRAIN_GRACE_MILLIS", "30000", "running requests may go on after SIGTERM, ms"),
  KAFKA("SLUICE_KAFKA", "127.0.0.1:19092", "Kafka bootstrap servers"),
  REDIS("SLUICE_REDIS", "redis://127.0.0.1:16379", "the pool's Redis"),
  POOL("SLUICE_POOL", "default", "the pool's name"),
  PARTITIONS("SLUICE_PARTITIONS", "48", "partitions of the pool's topics"),
  REPLICATION("SLUICE_REPLICATION", "", "replicas of its topic; default: the brokers, at most 3");

  /** Settings that begin so go to every Kafka client, without the prefix. */
  public static final String KAFKA_PREFIX = "kafka.";

  private final String environment;
  private final String defaultValue;
  private final String meaning;

  WorkerSetting(String environment, String defaultValue, String meaning) {
    this.environment = environment;
    this.defaultValue = defaultValue;
    this.meaning = meaning;
  }

  /** As it stands in a file and, after two dashes, on the command line. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The name of its environment variable. */
  public String environment() {
    return environment;
  }

  /** Its default as text; empty if there is none. */
  public String defaultValue() {
    return defaultValue;
  }

  /** One line for a person. */
  public String meaning() {
    return meaning;
  }

  /** The settings that an environment holds, by key. */
  public static Map<String, String> fromEnvironment(Map<String, String> environment) {
    Map<String, String> settings = new HashMap<>();
    for (WorkerSetting setting : values()) {
      String value = environment.getOrDefault(setting.environment, "");
      if (!value.isBlank()) {
        settings.put(setting.key(), value);
      }
    }
    return settings;
  }
}
