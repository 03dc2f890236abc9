package io.sluice.router.schedule;

import io.sluice.common.protocol.LeaseRef;

/**
 * What one task holds in memory beside its store, rebuilt from the store when the task begins. Not
 * thread-safe.
 */
record TaskMemory(
    PendingQueue queue,
    Timers timers,
    LeaseWatch watch,
    Reservations reservations,
    HandBacks handBacks,
    PromptPrefixes prefixes) {

  static TaskMemory empty(SchedulerParts parts, Now now) {
    return new TaskMemory(
        new PendingQueue(parts.backlog()),
        new Timers(),
        new LeaseWatch(now.nanos()),
        new Reservations(parts.ledger()),
        new HandBacks(),
        new PromptPrefixes());
  }

  /** A request is with a worker that somebody gave it to before. */
  void restoreLease(RequestFacts facts, LeaseRef lease, Now now) {
    reservations.restore(facts, lease.worker());
    watch.restore(facts.requestId(), lease, now.nanos());
  }

  /** A request is with no worker any more. */
  void endLease(String requestId) {
    reservations.release(requestId);
    watch.end(requestId);
  }

  /** Gives back what this task has in the backlog and the ledger that it shares with others. */
  void close() {
    queue.clear();
    reservations.releaseAll();
  }
}
