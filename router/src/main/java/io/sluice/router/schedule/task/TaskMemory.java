package io.sluice.router.schedule.task;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Priority;
import io.sluice.router.lease.LeaseWatch;
import io.sluice.router.lease.OutcomeWatermark;
import io.sluice.router.parse.PromptPrefixes;
import io.sluice.router.placement.RecentHandBacks;
import io.sluice.router.placement.Suspects;
import io.sluice.router.placement.TaskReservations;
import io.sluice.router.queue.PendingQueue;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.soabase.recordbuilder.core.RecordBuilder.BuilderMode;

/**
 * What one task keeps in memory in addition to its store. It is rebuilt from the store when the
 * task starts. Not thread-safe.
 */
@RecordBuilder
@RecordBuilder.Options(builderMode = BuilderMode.STAGED_REQUIRED_ONLY, enableWither = false)
public record TaskMemory(
    PendingQueue queue,
    WaitTimes waitTimes,
    Fallbacks fallbacks,
    Timers timers,
    LeaseWatch watch,
    TaskReservations reservations,
    RecentHandBacks recentHandBacks,
    PrefixWaits prefixWaits,
    Unservable unservable,
    Charges charges,
    Suspects suspects,
    PromptPrefixes prefixes,
    EndedRequests ended,
    UnreadableRequests unreadable) {

  public static TaskMemory empty(
      RequestStore store,
      Effects effects,
      SchedulerParts parts,
      OutcomeWatermark watermark,
      TimePoint now) {
    Timers timers = new Timers();
    return TaskMemoryBuilder.builder()
        .queue(new PendingQueue(parts.backlog()))
        .waitTimes(new WaitTimes())
        .fallbacks(new Fallbacks(timers, parts.random()))
        .timers(timers)
        .watch(new LeaseWatch(watermark, parts.life(), parts.acceptanceDelays(), now.nanos()))
        .reservations(new TaskReservations(parts.ledger()))
        .recentHandBacks(new RecentHandBacks())
        .prefixWaits(new PrefixWaits(parts.backlog()))
        .unservable(new Unservable(parts.backlog()))
        .charges(new Charges(parts.backlog()))
        .suspects(new Suspects(parts.ledger().suspects()))
        .prefixes(new PromptPrefixes(parts.bodies()))
        .ended(new EndedRequests(store, parts.endedLimit(), now))
        .unreadable(
            new UnreadableRequests(store, effects, parts.listener(), parts.longestDeadline()))
        .build();
  }

  /** A request waits for a worker. May be called again for the same request. */
  public void waits(RequestMetadata metadata, TimePoint now) {
    queue.add(metadata);
    fallbacks.waits(metadata, now);
    metadata.firstTokenByMillis().ifPresent(by -> timers.set(by, metadata.requestId()));
    if (metadata.priority() == Priority.BULK) {
      timers.set(metadata.slackEndsMillis(), metadata.requestId());
    }
  }

  /** A request no longer waits, if it did. */
  void waitsNoMore(RequestMetadata metadata) {
    prefixWaits.forget(metadata.requestId());
    unservable.forget(metadata.requestId());
    queue.remove(metadata);
    waitTimes.end(metadata);
    fallbacks.leaves(metadata);
    reservations.releaseCapacity(metadata.requestId());
  }

  /**
   * The far timers of a request are no longer needed, which may be a day away: the request has
   * ended, or has other times.
   */
  void forgetTimes(RequestMetadata metadata) {
    timers.cancel(metadata.deadlineEpochMillis(), metadata.requestId());
    timers.cancel(metadata.slackEndsMillis(), metadata.requestId());
    metadata.firstTokenByMillis().ifPresent(by -> timers.cancel(by, metadata.requestId()));
  }

  /** A worker already has a request, under a lease from before this task. */
  public void restoreLease(RequestMetadata metadata, LeaseRef lease, TimePoint now) {
    reservations.restore(metadata, lease.worker());
    watch.restore(lease, now.nanos());
    suspects.tryPlace(metadata, lease.worker());
  }

  /** No worker has a request any longer. */
  void endLease(String requestId) {
    reservations.release(requestId);
    watch.end(requestId);
    suspects.left(requestId);
  }

  /** Releases what this task holds in structures that it shares with other tasks. */
  public void close() {
    prefixWaits.clear();
    unservable.clear();
    queue.clear();
    reservations.releaseAll();
    suspects.close();
    ended.close();
  }
}
