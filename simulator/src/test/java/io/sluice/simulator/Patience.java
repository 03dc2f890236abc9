package io.sluice.simulator;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Waits so long that a test fails for what is wrong, never for a machine that is busy. */
public final class Patience {

  /** For what only a broken test run reaches. */
  public static final Duration LONGEST = Duration.ofSeconds(60);

  private Patience() {}

  /** Awaitility's condition with that limit. */
  public static ConditionFactory await() {
    return Awaitility.await().atMost(LONGEST);
  }
}
