package io.sluice.standalone.verify;

/**
 * The result of a check.
 *
 * @param text the observation and, if the check failed, the expectation
 */
record Finding(Kind kind, String text) {

  /** How a check ended. */
  enum Kind {
    KEPT,
    BROKEN,
    SKIPPED
  }

  /** Returns the result of a passed check. */
  static Finding kept(String seen) {
    return new Finding(Kind.KEPT, seen);
  }

  /** Returns the result of a failed check. */
  static Finding broken(String seen) {
    return new Finding(Kind.BROKEN, "BROKEN: " + seen);
  }

  /** Returns the result of a check that is not possible with this engine. */
  static Finding skipped(String reason) {
    return new Finding(Kind.SKIPPED, "skipped: " + reason);
  }

  /** Returns whether the check passed. */
  boolean isKept() {
    return kind == Kind.KEPT;
  }

  /** Returns whether the check failed. */
  boolean isBroken() {
    return kind == Kind.BROKEN;
  }

  /** Returns whether there was nothing to check. */
  boolean isSkipped() {
    return kind == Kind.SKIPPED;
  }
}
