package io.sluice.simulator;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Waits long enough that a test does not fail only because the machine is busy. */
public final class Patience {

  /** The limit, which only a failing test reaches. */
  public static final Duration LONGEST = Duration.ofSeconds(60);

  private Patience() {}

  /** Returns Awaitility's condition with that limit. */
  public static ConditionFactory await() {
    return Awaitility.await().atMost(LONGEST);
  }
}
