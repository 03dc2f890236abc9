package io.sluice.router.schedule;

import io.sluice.common.protocol.Priority;
import io.sluice.router.schedule.RequestState.Pending;
import java.time.Duration;

/**
 * Refuses requests that have waited for as long as is allowed and were never sent to a worker: when
 * they came nobody knew yet how long they would wait, or it was known too well. Without this a load
 * that is too high for a pool that has just begun would leave a backlog that everybody after it has
 * to wait for. Where it is still not known what the pool gets through of their kind, as where no
 * worker is there, they wait on. Bulk may always wait. Not thread-safe.
 */
final class WaitLimit {
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  private final RequestStore store;
  private final Backlog backlog;
  private final Transitions transitions;
  private final Timers timers = new Timers();

  WaitLimit(RequestStore store, Backlog backlog, Transitions transitions) {
    this.store = store;
    this.backlog = backlog;
    this.transitions = transitions;
  }

  /** A request waits from now on, as far as this task knows. */
  void waits(RequestFacts facts, Now now) {
    long dueMillis = now.epochMillis() + backlog.maxWait().toMillis();
    if (facts.priority() != Priority.BULK && dueMillis < facts.deadlineEpochMillis()) {
      timers.set(dueMillis, facts.requestId());
    }
  }

  /** Refuses those whose time is over. */
  void due(Now now) {
    for (String requestId : timers.due(now.epochMillis())) {
      store.get(requestId).filter(WaitLimit::isUnserved).ifPresent(late -> late(late, now));
    }
  }

  private static boolean isUnserved(TrackedRequest tracked) {
    return tracked.state() instanceof Pending
        && tracked.history().attempts() == 0
        && tracked.facts().priority() != Priority.BULK;
  }

  private void late(TrackedRequest late, Now now) {
    backlog
        .wait(late.facts(), now)
        .ifPresentOrElse(
            more -> transitions.overloaded(late, "it has waited too long; try again later", more),
            () -> timers.set(now.epochMillis() + LOOK_AGAIN.toMillis(), late.requestId()));
  }
}
