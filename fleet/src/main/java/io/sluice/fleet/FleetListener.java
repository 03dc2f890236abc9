package io.sluice.fleet;

import io.sluice.fleet.breaker.BreakerState;

/** Hears of changes in the fleet; called on a thread of the registry's, so it must not block. */
public interface FleetListener {

  /** A worker's new snapshot. */
  void changed(WorkerSnapshot snapshot);

  /** A worker has taken itself out. */
  void removed(String workerId);

  /** A worker's breaker has changed. */
  void breakerChanged(String workerId, BreakerState breaker);

  /** The subscription is (again) in place; what happened before may have been missed. */
  void resubscribed();
}
