package io.sluice.fleet.breaker;

import java.util.List;

/**
 * The transition table of a breaker: which state follows from a state and an event. Pure. The
 * script that applies it in Redis gives the same answers; one table of tests holds both to them.
 *
 * <ul>
 *   <li>Causes are independent: what ends one leaves the others.
 *   <li>Memory opens above its limit and closes only below a lower one.
 *   <li>Failures in a row open the circuit for a time; then it is half open until its probes have
 *       succeeded, or one has failed. The time grows with every relapse.
 *   <li>A dead engine opens; when it comes back, the circuit is half open.
 *   <li>A worker that has started anew is judged anew: what was open is half open.
 *   <li>An operator's word counts above all until it is taken back.
 *   <li>A restored state counts only if its epoch is higher, and never undoes an operator's word.
 * </ul>
 */
public final class Breaker {
  private static final BreakerRules RULES = BreakerRules.STANDARD;

  private Breaker() {}

  /**
   * The state after an event; the very same state if the event changes nothing.
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

  /** The state after several events, each at its own time. */
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
