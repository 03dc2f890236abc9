package io.sluice.router.fleet;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.Breaker;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerState;
import java.time.Duration;

/**
 * A worker as this router has heard of it.
 *
 * @param heardAtNanos when its sequence last advanced, by this process's monotonic clock
 * @param breaker the latest state of its breaker
 * @param longestGap how long it took its sequence to advance, at most, within the last minute
 */
public record WorkerView(
    WorkerSnapshot snapshot, long heardAtNanos, BreakerState breaker, Duration longestGap) {

  /** A worker whose heartbeats come as they should. */
  public WorkerView(WorkerSnapshot snapshot, long heardAtNanos, BreakerState breaker) {
    this(snapshot, heardAtNanos, breaker, Duration.ZERO);
  }

  /** A worker whose breaker never changed. */
  public WorkerView(WorkerSnapshot snapshot, long heardAtNanos) {
    this(snapshot, heardAtNanos, BreakerState.NEW);
  }

  /**
   * The same, when it was last heard of long ago: its load then says nothing of its load now, and
   * what its breaker opened for may be over, which the worker itself knows best.
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
