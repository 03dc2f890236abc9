package io.sluice.router.app;

import io.sluice.common.dependency.Dependency;
import io.sluice.common.dependency.DependencyWatch;
import io.sluice.common.dependency.KafkaProbe;
import io.sluice.fleet.PoolSettings;
import io.sluice.fleet.RedisConnection;
import io.sluice.router.fleet.FleetView;
import java.util.List;

/** What a router needs. */
final class RouterDependencies {
  static final String KAFKA = "kafka";
  static final String REDIS = "redis";

  private RouterDependencies() {}

  static DependencyWatch watch(RouterConfig config, KafkaProbe kafka, FleetView fleet) {
    PoolSettings pool = config.pool();
    return new DependencyWatch(
        config.id(),
        List.of(
            new Dependency(
                KAFKA,
                pool.kafka(),
                "no request is read, assigned or ended",
                "check the brokers, --kafka and --kafka-config",
                kafka,
                2),
            new Dependency(
                REDIS,
                RedisConnection.shown(pool.redis()),
                "routing continues with the last view of the fleet",
                "check Redis, and --redis with its password",
                fleet::latestReading,
                2)));
  }
}
