package io.sluice.simulator.serving;

import java.util.Arrays;
import java.util.Optional;

/** What happens to the requests that run when an engine is paused or put to sleep. */
public enum PauseMode {
  /** They end with {@code finish_reason:"abort"}. */
  ABORT("abort"),
  /** They run to their end before the pause begins; new ones wait. */
  WAIT("wait"),
  /** They stop where they are and go on later. */
  KEEP("keep");

  private final String wireName;

  PauseMode(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the mode of a query parameter's value, if there is one. */
  public static Optional<PauseMode> named(String name) {
    return Arrays.stream(values()).filter(mode -> mode.wireName.equals(name)).findFirst();
  }
}
