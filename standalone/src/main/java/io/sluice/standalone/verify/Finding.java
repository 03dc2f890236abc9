package io.sluice.standalone.verify;

/**
 * The result of a check.
 *
 * @param isBroken whether the check failed
 * @param text the observation and, if the check failed, the expectation
 */
record Finding(boolean isBroken, String text) {

  /** Returns the result of a passed check. */
  static Finding kept(String seen) {
    return new Finding(false, seen);
  }

  /** Returns the result of a failed check. */
  static Finding broken(String seen) {
    return new Finding(true, "BROKEN: " + seen);
  }

  /** Returns the result of a check that is not possible with this engine. */
  static Finding skipped(String reason) {
    return new Finding(false, "skipped: " + reason);
  }
}
