package io.sluice.router.fleet;

import io.sluice.common.breaker.BreakerState;

/**
 * Hears how the fleet changes, for metrics. Called on threads of the registry's; must not block.
 */
public interface FleetWatcher {
  /** Hears nothing. */
  FleetWatcher NONE =
      new FleetWatcher() {
        @Override
        public void appeared(String workerId, BreakerState breaker) {}

        @Override
        public void gone(String workerId) {}

        @Override
        public void breakerChanged(String workerId, BreakerState from, BreakerState to) {}
      };

  /** A worker has become known. */
  void appeared(String workerId, BreakerState breaker);

  /** A worker has signed off, or was silent for long. */
  void gone(String workerId);

  /** A known worker's breaker has a new state. */
  void breakerChanged(String workerId, BreakerState from, BreakerState to);
}
