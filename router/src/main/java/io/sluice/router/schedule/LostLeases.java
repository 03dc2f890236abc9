package io.sluice.router.schedule;

import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.lease.LeaseWatch;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.schedule.task.Effects;
import io.sluice.router.schedule.task.SchedulerParts;
import io.sluice.router.schedule.task.TaskMemory;
import io.sluice.router.schedule.task.Transitions;
import java.util.Optional;

/**
 * Ends leases that no worker reports an outcome of: those whose worker is silent or never accepted
 * them, and those whose assignments were not written. Not thread-safe.
 */
final class LostLeases {
  private final RequestStore store;
  private final Effects effects;
  private final SchedulerParts parts;
  private final TaskMemory memory;
  private final Transitions transitions;
  private final WorkerDeaths deaths;

  LostLeases(
      RequestStore store,
      Effects effects,
      SchedulerParts parts,
      TaskMemory memory,
      Transitions transitions,
      WorkerDeaths deaths) {
    this.store = store;
    this.effects = effects;
    this.parts = parts;
    this.memory = memory;
    this.transitions = transitions;
    this.deaths = deaths;
  }

  /** Ends the leases that are lost by now. */
  void due(FleetSnapshot fleet, TimePoint now) {
    memory.watch().lost(fleet, now.nanos()).forEach(lost -> end(lost, fleet, now));
  }

  private void end(LeaseWatch.Lost lost, FleetSnapshot fleet, TimePoint now) {
    Optional<TrackedRequest> holder =
        holder(lost.lease()).map(tracked -> deaths.judgedAgain(tracked, fleet, now));
    if (holder.filter(tracked -> deaths.isOpen(tracked, lost, fleet, now)).isPresent()) {
      return;
    }
    if (lost.verdict() == LeaseWatch.Verdict.NOT_ACCEPTED) {
      boolean isAlive = parts.life().isAlive(fleet, lost.lease(), now.nanos());
      boolean areMostUnresponsive =
          parts.localBreakers().areMostUnresponsive(fleet.workers().values());
      parts.localBreakers().unanswered(lost.lease(), isAlive && !areMostUnresponsive, now);
    }
    revoke(lost.lease(), fleet, now);
    memory.watch().end(lost.requestId());
    holder.ifPresent(tracked -> deaths.lost(tracked, lost, fleet, now));
  }

  /**
   * Ends a lease whose assignment could not be written in time. This costs the request no attempt
   * and does not count against the worker. If the worker received the assignment nevertheless, it
   * is told to stop.
   */
  void notAssigned(LeaseRef lease, TimePoint now) {
    holder(lease)
        .filter(tracked -> !memory.watch().isAccepted(tracked.requestId()))
        .ifPresent(
            tracked -> {
              revoke(lease, parts.fleet().get(), now);
              AttemptEnd end = AttemptEnd.of(AttemptEnd.Finding.NOT_WRITTEN);
              transitions.requeue(
                  tracked.after(lease, end, now), lease, now.epochMillis(), end.code(), now);
            });
  }

  /** Returns the request that is under a lease. */
  private Optional<TrackedRequest> holder(LeaseRef lease) {
    return store
        .get(lease.requestId())
        .filter(tracked -> tracked.state().activeLease().equals(Optional.of(lease)));
  }

  private void revoke(LeaseRef lease, FleetSnapshot fleet, TimePoint now) {
    effects.revoke(lease);
    memory.recentHandBacks().add(lease, fleet, now);
  }
}
