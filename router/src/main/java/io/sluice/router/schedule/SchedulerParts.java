package io.sluice.router.schedule;

import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.policy.Experience;
import io.sluice.router.policy.RoutingPolicy;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What the schedulers of one router process share.
 *
 * @param longestDeadline how long after a request came its answer may be wanted
 */
public record SchedulerParts(
    RoutingPolicy policy,
    RetryRules retries,
    Ledger ledger,
    Experience experience,
    RequestBodies bodies,
    Backlog backlog,
    Supplier<FleetSnapshot> fleet,
    TopicDirectory topics,
    SchedulerListener listener,
    RandomGenerator random,
    LocalBreakers localBreakers,
    Duration longestDeadline,
    WorkerLife life,
    ReplyStarts replyStarts,
    EarlyControlIds earlyControlIds,
    ServedModels served,
    PromptFactors factors,
    EndedLimit endedLimit) {

  /**
   * Of a process whose workers have not reported anything yet, which knows no reply offsets, waits
   * for every model, and has all the heap that it wants.
   */
  public SchedulerParts(
      RoutingPolicy policy,
      RetryRules retries,
      Ledger ledger,
      Experience experience,
      RequestBodies bodies,
      Backlog backlog,
      Supplier<FleetSnapshot> fleet,
      TopicDirectory topics,
      SchedulerListener listener,
      RandomGenerator random,
      LocalBreakers localBreakers,
      Duration longestDeadline) {
    this(
        policy,
        retries,
        ledger,
        experience,
        bodies,
        backlog,
        fleet,
        topics,
        listener,
        random,
        localBreakers,
        longestDeadline,
        new WorkerLife(),
        ReplyStarts.BY_TIME,
        new EarlyControlIds(),
        ServedModels.awaited(new ModelCatalogue(Map.of())),
        new PromptFactors(),
        new EndedLimit(Long.MAX_VALUE));
  }
}
