package io.sluice.standalone.pool;

import io.sluice.config.SettingSources;
import io.sluice.standalone.backend.LocalPort;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of a local pool's services, by their keys; all others have their defaults, or those
 * of the gateway what the plan's variables say.
 *
 * @param remote the access of other machines; its password is needed on this one too
 */
record ServiceSettings(PoolPlan plan, String kafka, String redis, Optional<RemoteAccess> remote) {
  private static final String ONE_BROKER = "1";
  private static final Duration DRAIN_GRACE = Duration.ofSeconds(2);

  /**
   * Of the gateway.
   *
   * @param files the folder of its files
   */
  SettingSources gateway(Path files) {
    Map<String, String> settings = common(plan.ports().gateway());
    settings.put("files", "folder:" + files);
    plan.exposure()
        .keys()
        .ifPresent(
            keys -> {
              settings.put("keys", keys);
              // Without keys a gateway is open to this machine only.
              plan.exposure().host().ifPresent(host -> settings.put("host", host));
            });
    return new SettingSources(
        settings,
        plan.gatewayVariables(),
        Map.of("drain-grace-millis", Long.toString(DRAIN_GRACE.toMillis())));
  }

  /** Of the router. */
  Map<String, String> router() {
    Map<String, String> settings = common(plan.ports().router());
    settings.put("id", "local-router");
    settings.put("threads", "1");
    settings.put("models", plan.models());
    settings.put("fallback", plan.fallbacks());
    return settings;
  }

  /** Of the worker at this place of the plan. */
  Map<String, String> worker(int index, URI engine) {
    WorkerPlan worker = plan.workers().get(index);
    Map<String, String> settings = common(plan.ports().worker(index));
    settings.put("id", worker.id());
    settings.put("engine-url", engine.toString());
    settings.put("max-concurrent", Integer.toString(worker.maxConcurrent()));
    settings.put("drain-grace-millis", Long.toString(DRAIN_GRACE.toMillis()));
    worker.tier().ifPresent(tier -> settings.put("tier", tier));
    if (worker.engine() instanceof WorkerPlan.Engine.External external) {
      external.model().ifPresent(model -> settings.put("model", model));
      external.apiKey().ifPresent(key -> settings.put("engine-api-key", key));
      if (external.isWarm()) {
        settings.put("warm-up-requests", "0");
      }
    } else {
      // A simulated engine has nothing that gets warm.
      settings.put("warm-up-requests", "0");
      settings.put("ramp-millis", "0");
    }
    return settings;
  }

  private Map<String, String> common(int port) {
    Map<String, String> settings = new HashMap<>(plan.access());
    settings.put("host", LocalPort.HOST);
    settings.put("port", Integer.toString(port));
    settings.put("kafka", kafka);
    settings.put("redis", redis);
    settings.put("partitions", Integer.toString(plan.partitions()));
    settings.put("replication", ONE_BROKER);
    remote.ifPresent(
        access -> settings.put("redis-password-file", access.passwordFile().toString()));
    return settings;
  }
}
