package io.sluice.router.app;

import io.sluice.common.dependency.DependencyWatch;
import io.sluice.common.dependency.KafkaProbe;
import io.sluice.common.dependency.PoolDependencies;
import io.sluice.fleet.PoolSettings;
import io.sluice.router.fleet.FleetView;
import java.util.List;

/** What a router needs. */
final class RouterDependencies {
  private RouterDependencies() {}

  static DependencyWatch watch(RouterConfig config, KafkaProbe kafka, FleetView fleet) {
    PoolSettings pool = config.pool();
    return new DependencyWatch(
        config.id(),
        List.of(
            PoolDependencies.kafka(pool.kafka(), kafka, "no request is read, assigned or ended"),
            PoolDependencies.redis(
                pool.redis().shown(),
                fleet::latestReading,
                "routing continues with the last view of the fleet")));
  }
}
