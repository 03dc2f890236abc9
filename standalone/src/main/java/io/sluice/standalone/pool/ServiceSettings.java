package io.sluice.standalone.pool;

import io.sluice.config.SettingSources;
import io.sluice.standalone.backend.LocalPort;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The settings of a local pool's services. What holds the pool together, such as addresses and ids,
 * is fixed, like a flag. The rest are defaults, which the plan's environment overrides.
 *
 * @param remote the access of other machines; its password is needed on this one too
 */
record ServiceSettings(PoolPlan plan, String kafka, String redis, Optional<RemoteAccess> remote) {
  private static final String ONE_BROKER = "1";
  private static final String DRAIN_GRACE_MILLIS = "2000";

  /**
   * Variables with which commands find another pool; the plan's access has what is for this one.
   */
  private static final Set<String> OF_OTHER_POOLS =
      Set.of("SLUICE_KAFKA_CONFIG", "SLUICE_POOL", "SLUICE_REDIS_CA", "SLUICE_REDIS_PASSWORD_FILE");

  /**
   * Of the gateway.
   *
   * @param files the folder of its files
   */
  SettingSources gateway(Path files) {
    Map<String, String> fixed = common(plan.ports().gateway());
    plan.exposure()
        .keys()
        .ifPresent(
            keys -> {
              fixed.put("keys", keys);
              // Without keys a gateway is open to this machine only.
              plan.exposure().host().ifPresent(host -> fixed.put("host", host));
            });
    return sources(
        fixed, Map.of("files", "folder:" + files, "drain-grace-millis", DRAIN_GRACE_MILLIS));
  }

  /** Of the router. */
  SettingSources router() {
    Map<String, String> fixed = common(plan.ports().router());
    fixed.put("id", "local-router");
    return sources(
        fixed, Map.of("threads", "1", "models", plan.models(), "fallback", plan.fallbacks()));
  }

  /** Of the worker at this place of the plan. */
  SettingSources worker(int index, URI engine) {
    WorkerPlan worker = plan.workers().get(index);
    Map<String, String> fixed = common(plan.ports().worker(index));
    fixed.put("id", worker.id());
    fixed.put("engine-url", engine.toString());
    worker.tier().ifPresent(tier -> fixed.put("tier", tier));
    Map<String, String> defaults = new HashMap<>();
    defaults.put("max-concurrent", Integer.toString(worker.maxConcurrent()));
    defaults.put("drain-grace-millis", DRAIN_GRACE_MILLIS);
    if (worker.engine() instanceof WorkerPlan.Engine.External external) {
      external.model().ifPresent(model -> fixed.put("model", model));
      external.apiKey().ifPresent(key -> fixed.put("engine-api-key", key));
      if (external.isWarm()) {
        fixed.put("warm-up-requests", "0");
      }
    } else {
      // A simulated engine has nothing that gets warm.
      defaults.put("warm-up-requests", "0");
      defaults.put("ramp-millis", "0");
    }
    return sources(fixed, defaults);
  }

  private Map<String, String> common(int port) {
    Map<String, String> fixed = new HashMap<>(plan.access());
    fixed.put("host", LocalPort.HOST);
    fixed.put("port", Integer.toString(port));
    fixed.put("kafka", kafka);
    fixed.put("redis", redis);
    fixed.put("partitions", Integer.toString(plan.partitions()));
    fixed.put("replication", ONE_BROKER);
    remote.ifPresent(access -> fixed.put("redis-password-file", access.passwordFile().toString()));
    return fixed;
  }

  private SettingSources sources(Map<String, String> fixed, Map<String, String> defaults) {
    Map<String, String> environment = new HashMap<>(plan.environment());
    environment.keySet().removeAll(OF_OTHER_POOLS);
    return new SettingSources(fixed, environment, defaults);
  }
}
