package io.sluice.router.schedule;

import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.policy.Experience;
import io.sluice.router.policy.RoutingPolicy;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** What the schedulers of one router process share. */
public record SchedulerParts(
    RoutingPolicy policy,
    RetryRules retries,
    Ledger ledger,
    Experience experience,
    Backlog backlog,
    Supplier<FleetSnapshot> fleet,
    TopicDirectory topics,
    SchedulerListener listener,
    RandomGenerator random,
    LocalBreakers localBreakers,
    WorkerLife life) {

  /** Of a process whose workers have not reported anything yet. */
  public SchedulerParts(
      RoutingPolicy policy,
      RetryRules retries,
      Ledger ledger,
      Experience experience,
      Backlog backlog,
      Supplier<FleetSnapshot> fleet,
      TopicDirectory topics,
      SchedulerListener listener,
      RandomGenerator random,
      LocalBreakers localBreakers) {
    this(
        policy,
        retries,
        ledger,
        experience,
        backlog,
        fleet,
        topics,
        listener,
        random,
        localBreakers,
        new WorkerLife());
  }
}
