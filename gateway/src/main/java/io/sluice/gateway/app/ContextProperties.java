package io.sluice.gateway.app;

import io.sluice.common.protocol.PoolTopics;
import io.sluice.gateway.Service;
import io.sluice.gateway.config.GatewayConfig;
import java.util.HashMap;
import java.util.Map;

/** The gateway's configuration as properties of Micronaut's modules. */
final class ContextProperties {
  private ContextProperties() {}

  static Map<String, Object> of(GatewayConfig config) {
    Map<String, Object> properties = new HashMap<>();
    properties.put(Service.PROPERTY, Service.GATEWAY);
    properties.put("micronaut.application.name", "sluice-gateway");
    server(config, properties);
    endpoints(properties);
    return properties;
  }

  private static void server(GatewayConfig config, Map<String, Object> properties) {
    String server = "micronaut.server.";
    properties.put(server + "host", config.host());
    properties.put(server + "port", config.port() == 0 ? -1 : config.port());
    properties.put(server + "server-header", "");
    properties.put(server + "max-request-size", PoolTopics.MAX_RECORD_BYTES);
    properties.put(server + "http-version", "2.0");
    properties.put(server + "netty.max-header-size", 32 * 1024);
  }

  private static void endpoints(Map<String, Object> properties) {
    properties.put("endpoints.all.enabled", false);
    properties.put("endpoints.prometheus.enabled", true);
    properties.put("endpoints.prometheus.sensitive", false);
    properties.put("endpoints.health.enabled", false);
    properties.put("micronaut.metrics.enabled", true);
    properties.put("micronaut.metrics.export.prometheus.enabled", true);
    properties.put("micronaut.metrics.export.prometheus.descriptions", true);
    for (String binder : new String[] {"web", "kafka", "executor", "logback", "files", "uptime"}) {
      properties.put("micronaut.metrics.binders." + binder + ".enabled", false);
    }
  }
}
