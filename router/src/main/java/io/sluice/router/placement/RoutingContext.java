package io.sluice.router.placement;

import io.sluice.router.catalog.TopicDirectory;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.lease.WorkerLiveness;
import io.sluice.router.policy.Experience;
import io.sluice.router.policy.RoutingPolicy;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What one router process knows of its workers and chooses them by. All tasks of the process share
 * it.
 *
 * @param fleet the workers' latest snapshots
 */
public record RoutingContext(
    RoutingPolicy policy,
    Experience experience,
    Supplier<FleetSnapshot> fleet,
    Ledger ledger,
    LocalBreakers localBreakers,
    WorkerLiveness life,
    TopicDirectory topics,
    RandomGenerator random) {}
