package io.sluice.worker.app;

import io.sluice.common.dependency.Dependency;
import io.sluice.common.dependency.DependencyWatch;
import io.sluice.common.dependency.KafkaProbe;
import io.sluice.common.dependency.PoolDependencies;
import io.sluice.fleet.PoolSettings;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.health.EngineMonitor;
import io.sluice.worker.health.Heartbeat;
import java.util.List;

/** What a worker needs. */
final class WorkerDependencies {
  static final String ENGINE = "engine";

  private WorkerDependencies() {}

  static DependencyWatch watch(
      WorkerConfig config, KafkaProbe kafka, Heartbeat heartbeat, EngineMonitor engine) {
    PoolSettings pool = config.pool();
    return new DependencyWatch(
        config.id(),
        List.of(
            PoolDependencies.kafka(pool.kafka(), kafka, "nothing is read or answered"),
            PoolDependencies.redis(
                pool.redis().shown(),
                heartbeat::latestPublication,
                "routers do not see this worker's load"),
            new Dependency(
                ENGINE,
                config.engine().url().toString(),
                "requests are handed back",
                "check the engine, --engine-url and SLUICE_ENGINE_API_KEY",
                engine::answer,
                1)));
  }
}
