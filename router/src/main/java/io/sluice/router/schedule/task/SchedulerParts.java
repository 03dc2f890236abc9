package io.sluice.router.schedule.task;

import io.sluice.common.topic.PoolTopics;
import io.sluice.router.catalog.ModelCatalog;
import io.sluice.router.catalog.PromptFactors;
import io.sluice.router.catalog.ServedModels;
import io.sluice.router.catalog.TopicDirectory;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.lease.AcceptanceDelays;
import io.sluice.router.lease.RetryPolicy;
import io.sluice.router.lease.WorkerLiveness;
import io.sluice.router.placement.Ledger;
import io.sluice.router.placement.LocalBreakers;
import io.sluice.router.placement.RoutingContext;
import io.sluice.router.queue.Backlog;
import io.sluice.router.request.EarlyControlIds;
import io.sluice.router.request.ReplyStarts;
import io.sluice.router.request.RequestBodies;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What the schedulers of one router process share.
 *
 * @param longestDeadline the longest time between a request's arrival and its deadline
 */
public record SchedulerParts(
    RoutingContext routing,
    RequestBodies bodies,
    Backlog backlog,
    RetryPolicy retries,
    SchedulerListener listener,
    Duration longestDeadline,
    ReplyStarts replyStarts,
    EarlyControlIds earlyControlIds,
    ServedModels served,
    PromptFactors factors,
    EndedLimit endedLimit,
    AcceptanceDelays acceptanceDelays) {

  /**
   * Begins with the parts that have no default. By default there is no listener, the reply offsets
   * are not known, every model is waited for, and the ended requests may take any amount of heap.
   */
  public static Builder builder(
      RoutingContext routing, RequestBodies bodies, Backlog backlog, RetryPolicy retries) {
    return new Builder(routing, bodies, backlog, retries);
  }

  /** Learns which models are served now, unless that was done a moment ago. */
  public void refreshServed() {
    served.refresh();
  }

  public Supplier<FleetSnapshot> fleet() {
    return routing.fleet();
  }

  public Ledger ledger() {
    return routing.ledger();
  }

  public LocalBreakers localBreakers() {
    return routing.localBreakers();
  }

  public WorkerLiveness life() {
    return routing.life();
  }

  TopicDirectory topics() {
    return routing.topics();
  }

  public RandomGenerator random() {
    return routing.random();
  }

  /** Collects the parts. Not thread-safe. */
  public static final class Builder {
    private final RoutingContext routing;
    private final RequestBodies bodies;
    private final Backlog backlog;
    private final RetryPolicy retries;
    private SchedulerListener listener = SchedulerListener.NONE;
    private Duration longestDeadline = PoolTopics.LONGEST_DEADLINE;
    private ReplyStarts replyStarts = ReplyStarts.BY_TIME;
    private EarlyControlIds earlyControlIds = new EarlyControlIds();
    private ServedModels served = ServedModels.awaited(new ModelCatalog(Map.of()));
    private PromptFactors factors = new PromptFactors();
    private EndedLimit endedLimit = new EndedLimit(Long.MAX_VALUE);

    private Builder(
        RoutingContext routing, RequestBodies bodies, Backlog backlog, RetryPolicy retries) {
      this.routing = routing;
      this.bodies = bodies;
      this.backlog = backlog;
      this.retries = retries;
    }

    public Builder listener(SchedulerListener value) {
      listener = value;
      return this;
    }

    public Builder longestDeadline(Duration value) {
      longestDeadline = value;
      return this;
    }

    public Builder replyStarts(ReplyStarts value) {
      replyStarts = value;
      return this;
    }

    public Builder earlyControlIds(EarlyControlIds value) {
      earlyControlIds = value;
      return this;
    }

    public Builder served(ServedModels value) {
      served = value;
      return this;
    }

    public Builder factors(PromptFactors value) {
      factors = value;
      return this;
    }

    public Builder endedLimit(EndedLimit value) {
      endedLimit = value;
      return this;
    }

    public SchedulerParts build() {
      return new SchedulerParts(
          routing,
          bodies,
          backlog,
          retries,
          listener,
          longestDeadline,
          replyStarts,
          earlyControlIds,
          served,
          factors,
          endedLimit,
          new AcceptanceDelays());
    }
  }
}
