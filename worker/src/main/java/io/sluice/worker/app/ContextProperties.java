package io.sluice.worker.app;

import io.sluice.common.topic.PoolTopics;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.intake.Admission;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** The worker's configuration as properties of Micronaut's modules. */
final class ContextProperties {
  /** The id of the HTTP client. */
  static final String ENGINE_CLIENT = "sluice-engine";

  /** Consumer of the worker's own topic. */
  static final String INTAKE = "sluice-intake";

  /** Consumer that reads replies back. */
  static final String SCAN = "sluice-scan";

  /** Producer of replies and outcomes. */
  static final String REPLIES = "sluice-replies";

  private static final int LEAST_ENGINE_CONNECTIONS = 1_024;

  /** Connections for checks of the engine and questions to it, in addition to its requests. */
  private static final int OTHER_CONNECTIONS = 64;

  private static final int SCAN_FETCH_MILLIS = 20;
  private static final int MAX_FETCH_BYTES = 2 * PoolTopics.MAX_RECORD_BYTES;

  private ContextProperties() {}

  static Map<String, Object> of(WorkerConfig config) {
    Map<String, Object> properties = new HashMap<>();
    properties.put("micronaut.application.name", "sluice-worker");
    properties.put("micronaut.server.host", config.host());
    properties.put("micronaut.server.port", config.port() == 0 ? -1 : config.port());
    properties.put("micronaut.netty.event-loops.default.num-threads", 2);
    endpoints(properties);
    engineClient(config, properties);
    kafka(config, properties);
    return properties;
  }

  private static void endpoints(Map<String, Object> properties) {
    properties.put("endpoints.all.enabled", false);
    properties.put("endpoints.health.enabled", true);
    properties.put("endpoints.health.details-visible", "ANONYMOUS");
    properties.put("endpoints.health.disk-space.enabled", false);
    properties.put("micronaut.metrics.enabled", true);
    properties.put("micronaut.metrics.export.prometheus.enabled", true);
    properties.put("micronaut.metrics.export.prometheus.descriptions", true);
    for (String binder : new String[] {"web", "kafka", "executor", "logback", "files", "uptime"}) {
      properties.put("micronaut.metrics.binders." + binder + ".enabled", false);
    }
  }

  /**
   * Idle connections are closed before vLLM closes them (after 5 s). There is no read timeout here;
   * the stream has its own time limits.
   */
  private static void engineClient(WorkerConfig config, Map<String, Object> properties) {
    String client = "micronaut.http.services." + ENGINE_CLIENT + ".";
    int connections =
        Math.max(
            LEAST_ENGINE_CONNECTIONS,
            Admission.limitOf(config.limits().maxConcurrent()) + OTHER_CONNECTIONS);
    properties.put(client + "url", config.engine().url().toString());
    properties.put(client + "connect-timeout", config.engine().connectTimeout().toMillis() + "ms");
    properties.put(client + "read-timeout", "24h");
    properties.put(client + "connection-pool-idle-timeout", "4s");
    properties.put(client + "follow-redirects", false);
    properties.put(client + "exception-on-error-status", false);
    properties.put(client + "pool.enabled", true);
    properties.put(client + "pool.max-concurrent-http1-connections", connections);
    properties.put(client + "pool.max-pending-connections", 64);
    properties.put(client + "pool.max-pending-acquires", connections);
    properties.put(client + "pool.acquire-timeout", "5s");
  }

  private static void kafka(WorkerConfig config, Map<String, Object> properties) {
    properties.put("kafka.bootstrap.servers", config.pool().kafka());
    properties.put("kafka.health.enabled", false);
    consumer(properties, config, INTAKE, "latest");
    consumer(properties, config, SCAN, "earliest");
    // A scan reads the records that exist. A fetch that waits for more delays the offset lookup of
    // the next scan on the same connection.
    properties.put("kafka.consumers." + SCAN + ".fetch.max.wait.ms", SCAN_FETCH_MILLIS);
    String producer = "kafka.producers." + REPLIES + ".";
    properties.put(producer + "client.id", "sluice-worker-" + config.id());
    properties.put(producer + "key.serializer", StringSerializer.class.getName());
    properties.put(producer + "value.serializer", ByteArraySerializer.class.getName());
    properties.put(producer + "acks", "all");
    properties.put(producer + "enable.idempotence", true);
    // With more than one, a batch may reach the new leader of a partition while an earlier one is
    // still on its way to the old leader. A leader that does not know the producer yet accepts the
    // later batch, and then always refuses the earlier one.
    properties.put(producer + "max.in.flight.requests.per.connection", 1);
    properties.put(producer + "compression.type", "none");
    // Requests and fetches for single tokens take a fifth more of the processor, and the tokens
    // that wait for it are later than this (docs/benchmarks.md, Overhead of the gateway). The first
    // tokens of an answer do not linger.
    properties.put(producer + "linger.ms", 1);
    properties.put(producer + "max.request.size", PoolTopics.MAX_RECORD_BYTES);
    properties.put(producer + "max.block.ms", 5_000);
    properties.put(producer + "request.timeout.ms", 5_000);
    properties.put(producer + "delivery.timeout.ms", 15_000);
  }

  private static void consumer(
      Map<String, Object> properties, WorkerConfig config, String name, String reset) {
    String consumer = "kafka.consumers." + name + ".";
    properties.put(consumer + "client.id", "sluice-worker-" + config.id() + "-" + name);
    properties.put(consumer + "key.deserializer", StringDeserializer.class.getName());
    properties.put(consumer + "value.deserializer", ByteArrayDeserializer.class.getName());
    properties.put(consumer + "enable.auto.commit", false);
    properties.put(consumer + "auto.offset.reset", reset);
    properties.put(consumer + "allow.auto.create.topics", false);
    properties.put(consumer + "max.partition.fetch.bytes", MAX_FETCH_BYTES);
    properties.put(consumer + "fetch.max.bytes", MAX_FETCH_BYTES);
    properties.put(consumer + "default.api.timeout.ms", 10_000);
  }
}
