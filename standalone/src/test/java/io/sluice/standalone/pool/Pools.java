package io.sluice.standalone.pool;

import io.sluice.gateway.app.Gateway;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.standalone.backend.Backends;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Pools over the backends that tests share. */
final class Pools {
  private Pools() {}

  /** Starts a pool of simulated engines, with a fallback. */
  static LocalPool start(Backends backends, int workers) throws InterruptedException {
    return LocalPool.start(plan(backends, workers));
  }

  /** Plans a pool of simulated engines, with a fallback. */
  static PoolPlan plan(Backends backends, int workers) {
    return PoolPlan.simulated(Ports.free(), workers, Optional.empty())
        .using(Optional.of(backends.kafkaBootstrapServers()), Optional.of(backends.redisUri()));
  }

  /** Returns a server that is warm, serves the models it lists and needs no key. */
  static WorkerPlan.Engine warm(URI engine) {
    return new WorkerPlan.Engine.External(engine, Optional.empty(), Optional.empty(), true);
  }

  /** Starts one more gateway of a pool, on a free port. */
  static Gateway gateway(LocalPool pool) {
    return gateway(pool, Map.of());
  }

  /** Starts one more gateway of a pool, on a free port, with these settings. */
  static Gateway gateway(LocalPool pool, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.putAll(Map.of("port", "0", "kafka", pool.kafka(), "redis", pool.redis()));
    return Gateway.start(GatewayConfig.of(all));
  }
}
