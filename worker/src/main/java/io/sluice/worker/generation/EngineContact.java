package io.sluice.worker.generation;

import io.sluice.worker.clock.Ticker;
import io.sluice.worker.engine.EngineCheck;
import io.sluice.worker.engine.EngineFailure;
import java.time.Duration;

/**
 * How far a request got at its engine. This counts if the engine dies: the request may be the cause
 * only if the engine had it. For the generation's own thread.
 */
final class EngineContact {
  private static final Duration HEARD = Duration.ofMillis(250);

  private final EngineCheck check;
  private final Ticker ticker;
  private boolean isSent;
  private boolean hasBegun;
  private long sentNanos;
  private long life;

  EngineContact(EngineCheck check, Ticker ticker) {
    this.check = check;
    this.ticker = ticker;
  }

  /** The request was sent to the engine. */
  void sent() {
    isSent = true;
    sentNanos = ticker.nanos();
    life = check.life();
  }

  /** The engine has confirmed that it has the request. */
  void begun() {
    hasBegun = true;
  }

  /**
   * Returns the condition of the engine process that got the request, given the condition of the
   * engine now. If another process has taken its place, it is dead.
   */
  EngineCheck.Condition conditionOfItsEngine(EngineCheck.Condition now) {
    boolean isAnother = isSent && check.life() != life;
    return isAnother && now == EngineCheck.Condition.UP ? EngineCheck.Condition.DEAD : now;
  }

  /**
   * Returns whether the engine may have the request. A refused connection would have been reported
   * by now.
   */
  boolean mayHaveBegun() {
    return hasBegun || (isSent && ticker.since(sentNanos).compareTo(HEARD) > 0);
  }

  /** Returns whether an engine that failed the request in this way may have had it. */
  boolean mayHaveBegun(EngineFailure failure) {
    return hasBegun || failure.isUnanswered();
  }
}
