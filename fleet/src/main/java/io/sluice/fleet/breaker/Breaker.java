package io.sluice.fleet.breaker;

import java.util.List;

/**
 * The transition table of a breaker: the state that follows from a state and an event. Pure. The
 * script that applies it in Redis gives the same results; one table of tests checks both.
 *
 * <ul>
 *   <li>Causes are independent: the end of one does not affect the others.
 *   <li>Memory opens above its limit and closes only below a lower one.
 *   <li>Consecutive failures open the circuit for a time. Then it is half-open until its probes
 *       have succeeded, or one has failed. The time grows with every relapse.
 *   <li>An unreachable engine opens the breaker; when it responds again, the circuit is half-open.
 *   <li>A restart of the worker clears its past: an open breaker becomes half-open.
 *   <li>An operator's override takes precedence until it is removed.
 *   <li>A restored state applies only if its epoch is higher, and never removes an override.
 * </ul>
 */
public final class Breaker {
  private static final BreakerRules RULES = BreakerRules.STANDARD;

  private Breaker() {}

  /**
   * Returns the state after an event; the same instance if the event changes nothing.
   *
   * @param nowMillis epoch milliseconds
   */
  public static BreakerState next(BreakerState state, BreakerEvent event, long nowMillis) {
    if (event instanceof BreakerEvent.Restored(BreakerState theirs)) {
      return restored(state, theirs, nowMillis);
    }
    BreakerState next = changed(state, event, nowMillis);
    return next.equals(state) ? state : next.at(Math.max(state.epoch() + 1, nowMillis));
  }

  /** Returns the state after several events, each with its own time. */
  public static BreakerState next(BreakerState state, List<BreakerEvent.Timed> events) {
    BreakerState next = state;
    for (BreakerEvent.Timed timed : events) {
      next = next(next, timed.event(), timed.atMillis());
    }
    return next;
  }

  private static BreakerState changed(BreakerState state, BreakerEvent event, long nowMillis) {
    FailureCircuit circuit = state.circuit();
    return switch (event) {
      case BreakerEvent.Usage(double usage) -> state.withMemory(isShort(state.memory(), usage));
      case BreakerEvent.Failed() -> state.with(circuit.failed(nowMillis));
      case BreakerEvent.Succeeded() -> state.with(circuit.succeeded(nowMillis));
      case BreakerEvent.Tripped() -> state.with(circuit.tripped(nowMillis));
      case BreakerEvent.Ticked() -> state.with(circuit.ticked(nowMillis));
      case BreakerEvent.EngineDown() -> state.withEngineDead(true);
      case BreakerEvent.EngineUp() when state.engineDead() ->
          state.withEngineDead(false).with(circuit.probing(nowMillis));
      case BreakerEvent.EngineUp() -> state;
      case BreakerEvent.WorkerStarted() -> started(state, nowMillis);
      case BreakerEvent.Overridden(OperatorOverride operator, String reason) ->
          state.with(operator, reason);
      case BreakerEvent.Restored(BreakerState theirs) -> restored(state, theirs, nowMillis);
    };
  }

  private static BreakerState started(BreakerState state, long nowMillis) {
    boolean wasOpen = state.engineDead() || state.circuit().phase() == BreakerPhase.OPEN;
    BreakerState calm = state.withMemory(false).withEngineDead(false);
    return wasOpen ? calm.with(calm.circuit().probing(nowMillis)) : calm;
  }

  private static boolean isShort(boolean wasShort, double usage) {
    return wasShort ? usage >= RULES.memoryCloseBelow() : usage > RULES.memoryOpenAbove();
  }

  private static BreakerState restored(BreakerState ours, BreakerState theirs, long nowMillis) {
    if (theirs.epoch() <= ours.epoch()) {
      return ours;
    }
    boolean isUnknown = ours.epoch() == 0;
    BreakerState merged = isUnknown ? theirs : theirs.with(ours.operator(), ours.reason());
    return merged.equals(theirs) ? theirs : merged.at(Math.max(theirs.epoch() + 1, nowMillis));
  }
}
