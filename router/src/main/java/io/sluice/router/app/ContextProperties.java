package io.sluice.router.app;

import java.util.HashMap;
import java.util.Map;

/** The router's configuration as properties of Micronaut's modules. */
final class ContextProperties {
  private ContextProperties() {}

  static Map<String, Object> of(RouterConfig config) {
    Map<String, Object> properties = new HashMap<>();
    properties.put("micronaut.application.name", "sluice-router");
    properties.put("micronaut.server.host", config.host());
    properties.put("micronaut.server.port", config.port() == 0 ? -1 : config.port());
    // In one process with a worker micronaut-kafka is on the class path.
    properties.put("kafka.enabled", false);
    properties.put("endpoints.all.enabled", false);
    properties.put("endpoints.prometheus.enabled", true);
    properties.put("endpoints.prometheus.sensitive", false);
    properties.put("endpoints.health.enabled", true);
    properties.put("endpoints.health.details-visible", "ANONYMOUS");
    properties.put("endpoints.health.disk-space.enabled", false);
    properties.put("micronaut.metrics.enabled", true);
    properties.put("micronaut.metrics.export.prometheus.enabled", true);
    properties.put("micronaut.metrics.export.prometheus.descriptions", true);
    for (String binder : new String[] {"web", "kafka", "executor", "logback", "files", "uptime"}) {
      properties.put("micronaut.metrics.binders." + binder + ".enabled", false);
    }
    return properties;
  }
}
