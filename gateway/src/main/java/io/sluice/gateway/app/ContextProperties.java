package io.sluice.gateway.app;

import io.sluice.common.topic.PoolTopics;
import io.sluice.gateway.Service;
import io.sluice.gateway.config.FileSettings;
import io.sluice.gateway.config.FileStorage;
import io.sluice.gateway.config.GatewayConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The gateway's configuration as properties of Micronaut's modules. */
final class ContextProperties {
  private static final int MAX_HEADER_BYTES = 32 * 1024;

  /** What an upload has in addition to its file. */
  private static final long FORM_BYTES = 1024 * 1024;

  /** Neither bodies nor keys. */
  private static final String ACCESS_LOG =
      "event=http client=%a request=\"%r\" status=%s bytes=%b ms=%D id=%{x-request-id}o";

  private static final List<String> EXPOSED_HEADERS =
      List.of(
          "x-request-id",
          "etag",
          "stream-next-offset",
          "stream-cursor",
          "stream-up-to-date",
          "stream-closed",
          "request-id",
          "openai-processing-ms",
          "retry-after",
          "retry-after-ms",
          "x-should-retry",
          "x-sluice-worker",
          "x-sluice-model",
          "x-sluice-tier",
          "x-sluice-attempts",
          "x-sluice-fallback",
          "x-ratelimit-limit-requests",
          "x-ratelimit-remaining-requests",
          "x-ratelimit-reset-requests",
          "x-ratelimit-limit-tokens",
          "x-ratelimit-remaining-tokens",
          "x-ratelimit-reset-tokens");

  private ContextProperties() {}

  static Map<String, Object> of(GatewayConfig config) {
    Map<String, Object> properties = new HashMap<>();
    properties.put(Service.PROPERTY, Service.GATEWAY);
    properties.put("micronaut.application.name", "sluice-gateway");
    server(config, properties);
    cors(config.corsOrigins(), properties);
    endpoints(properties);
    return properties;
  }

  private static void server(GatewayConfig config, Map<String, Object> properties) {
    String server = "micronaut.server.";
    properties.put(server + "host", config.host());
    properties.put(server + "port", config.port() == 0 ? -1 : config.port());
    properties.put(server + "max-request-size", largestBody(config.files()));
    // Of all bodies but uploads of files, which are not held in memory.
    properties.put(server + "max-request-buffer-size", PoolTopics.MAX_REQUEST_BYTES);
    properties.put(server + "http-version", "2.0");
    // It would also close a connection that waits for a whole answer; see RequestTimeouts.
    properties.put(server + "idle-timeout", "-1s");
    // Finds out when the machine of a client is gone.
    properties.put(server + "netty.child-options.SO_KEEPALIVE", true);
    // A token is sent at once, and not held back until the client has confirmed the one before.
    properties.put(server + "netty.child-options.TCP_NODELAY", true);
    properties.put(server + "netty.max-header-size", MAX_HEADER_BYTES);
    properties.put(server + "netty.http2.max-header-list-size", MAX_HEADER_BYTES);
    properties.put(server + "netty.access-logger.enabled", config.accessLog());
    properties.put(server + "netty.access-logger.logger-name", "io.sluice.gateway.http");
    properties.put(server + "netty.access-logger.log-format", ACCESS_LOG);
  }

  /** The endpoint of files has a limit of its own; this is the limit of what it reads at all. */
  private static long largestBody(FileSettings files) {
    return files.storage() instanceof FileStorage.None
        ? PoolTopics.MAX_REQUEST_BYTES
        : Math.max(PoolTopics.MAX_REQUEST_BYTES, files.maxBytes() + FORM_BYTES);
  }

  private static void cors(List<String> origins, Map<String, Object> properties) {
    // BrowserFilter protects gateways without keys, and says why it refuses.
    properties.put("micronaut.server.cors.localhost-pass-through", true);
    if (origins.isEmpty()) {
      return;
    }
    properties.put("micronaut.server.cors.enabled", true);
    String pages = "micronaut.server.cors.configurations.pages.";
    if (origins.contains("*")) {
      properties.put(pages + "allowed-origins-regex", "^.*$");
    } else {
      properties.put(pages + "allowed-origins", origins);
    }
    properties.put(pages + "allow-credentials", false);
    properties.put(pages + "exposed-headers", EXPOSED_HEADERS);
  }

  private static void endpoints(Map<String, Object> properties) {
    properties.put("endpoints.all.enabled", false);
    properties.put("endpoints.prometheus.enabled", true);
    properties.put("endpoints.prometheus.sensitive", false);
    properties.put("endpoints.health.enabled", true);
    properties.put("endpoints.health.details-visible", "ANONYMOUS");
    properties.put("endpoints.health.disk-space.enabled", false);
    // In one process with a worker micronaut-kafka is on the class path.
    properties.put("kafka.enabled", false);
    properties.put("micronaut.metrics.enabled", true);
    properties.put("micronaut.metrics.export.prometheus.enabled", true);
    properties.put("micronaut.metrics.export.prometheus.descriptions", true);
    for (String binder : new String[] {"kafka", "executor", "logback", "files", "uptime"}) {
      properties.put("micronaut.metrics.binders." + binder + ".enabled", false);
    }
  }
}
