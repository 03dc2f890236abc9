package io.sluice.fleet;

import io.sluice.fleet.breaker.BreakerState;

/** Receives changes in the fleet. Called on a thread of the registry, so it must not block. */
public interface FleetListener {

  /** A worker published a snapshot in which more than the sequence is new. */
  void changed(WorkerSnapshot snapshot);

  /** A worker removed itself. */
  void removed(String workerId);

  /** A worker's breaker has changed. */
  void breakerChanged(String workerId, BreakerState breaker);

  /**
   * The subscription is in place, for the first time or again. Earlier changes may have been
   * missed.
   */
  void resubscribed();
}
