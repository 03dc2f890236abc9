package io.sluice.standalone.verify.pool;

/**
 * The result of a check.
 *
 * @param text the observation and, if the check failed, the expectation
 */
public record Finding(Kind kind, String text) {

  /** How a check ended. */
  public enum Kind {
    KEPT,
    BROKEN,
    SKIPPED
  }

  /** Returns the result of a passed check. */
  public static Finding kept(String seen) {
    return new Finding(Kind.KEPT, seen);
  }

  /** Returns the result of a failed check. */
  public static Finding broken(String seen) {
    return new Finding(Kind.BROKEN, "BROKEN: " + seen);
  }

  /** Returns the result of a check that is not possible with this engine. */
  public static Finding skipped(String reason) {
    return new Finding(Kind.SKIPPED, "skipped: " + reason);
  }

  /** Returns whether the check passed. */
  public boolean isKept() {
    return kind == Kind.KEPT;
  }

  /** Returns whether the check failed. */
  public boolean isBroken() {
    return kind == Kind.BROKEN;
  }

  /** Returns whether there was nothing to check. */
  public boolean isSkipped() {
    return kind == Kind.SKIPPED;
  }
}
