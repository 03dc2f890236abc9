package io.sluice.router.fleet;

import io.sluice.fleet.breaker.BreakerState;

/** Receives changes of the fleet. Called on threads of the registry client; must not block. */
public interface FleetWatcher {
  /** Ignores all changes. */
  FleetWatcher NONE = new FleetWatcher() {};

  /** Tells this watcher first, then another one. */
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

  /** A worker has signed off or was silent for long. */
  default void gone(String workerId) {}

  /** A worker reports that its engine is down. Called once for each time it goes down. */
  default void engineDown(String workerId) {}

  /** The breaker of a known worker has a new state. */
  default void breakerChanged(String workerId, BreakerState from, BreakerState to) {}
}
