package io.sluice.router.fleet;

import io.sluice.common.breaker.BreakerState;
import io.sluice.common.fleet.WorkerSnapshot;

/**
 * A worker as this router has heard of it.
 *
 * @param heardAtNanos when its sequence last advanced, by this process's monotonic clock
 * @param breaker the latest state of its breaker
 */
public record WorkerView(WorkerSnapshot snapshot, long heardAtNanos, BreakerState breaker) {

  /** A worker whose breaker never changed. */
  public WorkerView(WorkerSnapshot snapshot, long heardAtNanos) {
    this(snapshot, heardAtNanos, BreakerState.NEW);
  }

  WorkerView with(BreakerState newBreaker) {
    return new WorkerView(snapshot, heardAtNanos, newBreaker);
  }
}
