package io.sluice.router.fleet;

import io.sluice.fleet.breaker.BreakerState;

/** Hears how the fleet changes. Called on threads of the registry's; must not block. */
public interface FleetWatcher {
  /** Hears nothing. */
  FleetWatcher NONE = new FleetWatcher() {};

  /** Tells this one first, then another. */
  default FleetWatcher and(FleetWatcher other) {
    FleetWatcher first = this;
    return new FleetWatcher() {
      @Override
      public void appeared(String workerId, BreakerState breaker) {
        first.appeared(workerId, breaker);
        other.appeared(workerId, breaker);
      }

      @Override
      public void gone(String workerId) {
        first.gone(workerId);
        other.gone(workerId);
      }

      @Override
      public void engineDown(String workerId) {
        first.engineDown(workerId);
        other.engineDown(workerId);
      }

      @Override
      public void breakerChanged(String workerId, BreakerState from, BreakerState to) {
        first.breakerChanged(workerId, from, to);
        other.breakerChanged(workerId, from, to);
      }
    };
  }

  /** A worker has become known. */
  default void appeared(String workerId, BreakerState breaker) {}

  /** A worker has signed off, or was silent for long. */
  default void gone(String workerId) {}

  /** A worker says that its engine is down; said once for each time that it goes down. */
  default void engineDown(String workerId) {}

  /** A known worker's breaker has a new state. */
  default void breakerChanged(String workerId, BreakerState from, BreakerState to) {}
}
