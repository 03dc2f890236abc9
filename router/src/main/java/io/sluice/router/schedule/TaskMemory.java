package io.sluice.router.schedule;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Priority;
import io.sluice.router.lease.Hearing;
import io.sluice.router.lease.LeaseWatch;
import io.sluice.router.parse.PromptPrefixes;
import io.sluice.router.placement.HandBacks;
import io.sluice.router.placement.Reservations;
import io.sluice.router.placement.Suspects;
import io.sluice.router.queue.PendingQueue;
import io.sluice.router.request.Now;
import io.sluice.router.request.RequestFacts;
import io.sluice.router.request.RequestStore;

/**
 * What one task holds in memory beside its store, rebuilt from the store when the task begins. Not
 * thread-safe.
 */
record TaskMemory(
    PendingQueue queue,
    WaitTimes waitTimes,
    Fallbacks fallbacks,
    Timers timers,
    LeaseWatch watch,
    Reservations reservations,
    HandBacks handBacks,
    Suspects suspects,
    PromptPrefixes prefixes,
    EndedRequests ended) {

  static TaskMemory empty(RequestStore store, SchedulerParts parts, Hearing hearing, Now now) {
    Timers timers = new Timers();
    return new TaskMemory(
        new PendingQueue(parts.backlog()),
        new WaitTimes(),
        new Fallbacks(timers, parts.random()),
        timers,
        new LeaseWatch(hearing, parts.life(), now.nanos()),
        new Reservations(parts.ledger()),
        new HandBacks(),
        new Suspects(parts.ledger().suspects()),
        new PromptPrefixes(parts.bodies()),
        new EndedRequests(store, parts.endedLimit(), now));
  }

  /** A request waits for a worker; it may be said more than once. */
  void waits(RequestFacts facts, Now now) {
    queue.add(facts);
    fallbacks.waits(facts, now);
    if (facts.priority() == Priority.BULK) {
      timers.set(facts.slackEndsMillis(), facts.requestId());
    }
  }

  /** A request waits no more, if it did. */
  void waitsNoMore(RequestFacts facts) {
    queue.remove(facts);
    waitTimes.end(facts);
    fallbacks.leaves(facts);
    reservations.releaseHold(facts.requestId());
  }

  /** A request is with a worker that somebody gave it to before. */
  void restoreLease(RequestFacts facts, LeaseRef lease, Now now) {
    reservations.restore(facts, lease.worker());
    watch.restore(lease, now.nanos());
    suspects.tryPlace(facts.requestId(), lease.worker());
  }

  /** A request is with no worker any more. */
  void endLease(String requestId) {
    reservations.release(requestId);
    watch.end(requestId);
    suspects.left(requestId);
  }

  /** Gives back what this task has in all that it shares with others. */
  void close() {
    queue.clear();
    reservations.releaseAll();
    suspects.close();
    ended.close();
  }
}
