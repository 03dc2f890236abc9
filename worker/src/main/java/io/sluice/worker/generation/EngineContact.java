package io.sluice.worker.generation;

import io.sluice.worker.clock.Ticker;
import io.sluice.worker.engine.EngineCheck;
import io.sluice.worker.engine.EngineFailure;
import java.time.Duration;

/**
 * How far a request got with its engine, which is what counts if that dies: it may have died of
 * what it had. For the generation's own thread.
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

  /** It is on its way to the engine. */
  void sent() {
    isSent = true;
    sentNanos = ticker.nanos();
    life = check.life();
  }

  /** The engine has answered that it has it. */
  void begun() {
    hasBegun = true;
  }

  /** What has become of the engine that it was sent to, where the one that is there is so. */
  EngineCheck.Condition conditionOfItsEngine(EngineCheck.Condition now) {
    boolean isAnother = isSent && check.life() != life;
    return isAnother && now == EngineCheck.Condition.UP ? EngineCheck.Condition.DEAD : now;
  }

  /** Whether the engine may have it: that nobody listens would have been heard by now. */
  boolean mayHaveBegun() {
    return hasBegun || (isSent && ticker.since(sentNanos).compareTo(HEARD) > 0);
  }

  /** Whether an engine that failed it so may have had it. */
  boolean mayHaveBegun(EngineFailure failure) {
    return hasBegun || failure.isUnanswered();
  }
}
