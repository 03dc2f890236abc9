package io.sluice.router.fleet;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.Breaker;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerState;
import java.time.Duration;

/**
 * A worker as this router has heard of it.
 *
 * @param heardAtNanos when its sequence number last advanced, by this process's monotonic clock
 * @param breaker the latest state of its breaker
 * @param longestGap the longest time between two advances of its sequence number within the last
 *     minute
 */
public record WorkerView(
    WorkerSnapshot snapshot, long heardAtNanos, BreakerState breaker, Duration longestGap) {

  /** A worker with regular heartbeats. */
  public WorkerView(WorkerSnapshot snapshot, long heardAtNanos, BreakerState breaker) {
    this(snapshot, heardAtNanos, breaker, Duration.ZERO);
  }

  /** A worker whose breaker never changed. */
  public WorkerView(WorkerSnapshot snapshot, long heardAtNanos) {
    this(snapshot, heardAtNanos, BreakerState.NEW);
  }

  /**
   * Returns the same worker, last heard of long ago. Its reported load is no longer valid, and the
   * cause for which its breaker opened may have passed, which the worker itself knows best.
   */
  WorkerView outdated() {
    BreakerState judgedAnew =
        Breaker.next(breaker, new BreakerEvent.WorkerStarted(), breaker.epoch());
    return new WorkerView(snapshot.withoutLoad(), heardAtNanos, judgedAnew, longestGap);
  }

  WorkerView with(BreakerState newBreaker) {
    return new WorkerView(snapshot, heardAtNanos, newBreaker, longestGap);
  }
}
