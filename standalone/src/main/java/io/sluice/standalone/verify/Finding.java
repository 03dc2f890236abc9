package io.sluice.standalone.verify;

/**
 * What came of a check.
 *
 * @param isBroken whether a promise was broken
 * @param text for people: what was seen, and where that is not what was expected, what was
 */
record Finding(boolean isBroken, String text) {

  /** As it should be. */
  static Finding kept(String seen) {
    return new Finding(false, seen);
  }

  /** A broken promise. */
  static Finding broken(String seen) {
    return new Finding(true, "BROKEN: " + seen);
  }

  /** What could not be told of this engine. */
  static Finding skipped(String reason) {
    return new Finding(false, "skipped: " + reason);
  }
}
