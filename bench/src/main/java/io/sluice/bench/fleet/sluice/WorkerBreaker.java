package io.sluice.bench.fleet.sluice;

import io.sluice.fleet.breaker.Breaker;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.fleet.breaker.BreakerState;
import java.util.HashSet;
import java.util.Set;

/**
 * The circuit breaker of a worker, by the table of {@link Breaker}. It opens when the engine fails,
 * and closes after probes when the engine is back. The engine's memory does not open it here. Not
 * thread-safe.
 */
final class WorkerBreaker {
  private BreakerState state = BreakerState.NEW;

  /** Leases that have succeeded as probes. */
  private final Set<String> succeeded = new HashSet<>();

  /**
   * The engine was checked.
   *
   * @param streaming the leases that it streams well; a probe succeeds by that
   * @return whether the breaker has changed
   */
  boolean checked(boolean isUp, Set<String> streaming, long nowMillis) {
    BreakerState before = state;
    streaming.forEach(lease -> succeeded(lease, nowMillis));
    apply(new BreakerEvent.Ticked(), nowMillis);
    apply(isUp ? new BreakerEvent.EngineUp() : new BreakerEvent.EngineDown(), nowMillis);
    return !state.equals(before);
  }

  /**
   * A request was answered.
   *
   * @return whether the breaker has changed
   */
  boolean completed(String lease, long nowMillis) {
    BreakerState before = state;
    succeeded(lease, nowMillis);
    return !state.equals(before);
  }

  private void succeeded(String lease, long nowMillis) {
    if (state.circuit().phase() != BreakerPhase.HALF_OPEN) {
      succeeded.clear();
    } else if (succeeded.add(lease)) {
      apply(new BreakerEvent.Succeeded(), nowMillis);
    }
  }

  private void apply(BreakerEvent event, long nowMillis) {
    state = Breaker.next(state, event, nowMillis);
  }

  BreakerState state() {
    return state;
  }

  /** Returns whether the worker takes a request in addition to a number of others. */
  boolean admitsWith(int others) {
    return state.phase().admitsWith(others);
  }

  /** Returns whether requests are probes, or none are taken. */
  boolean isClosed() {
    return state.phase() == BreakerPhase.CLOSED;
  }
}
