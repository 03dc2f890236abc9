package io.sluice.simulator.serving;

import java.util.Arrays;
import java.util.Optional;

/** What happens to running requests when an engine is paused or put to sleep. */
public enum PauseMode {
  /** Running requests end with {@code finish_reason:"abort"}. */
  ABORT("abort"),
  /** Running requests finish before the pause begins; new ones wait. */
  WAIT("wait"),
  /** Running requests freeze and continue after the pause. */
  KEEP("keep");

  private final String wireName;

  PauseMode(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the mode with a name as in the query parameter, if there is one. */
  public static Optional<PauseMode> named(String name) {
    return Arrays.stream(values()).filter(mode -> mode.wireName.equals(name)).findFirst();
  }
}
