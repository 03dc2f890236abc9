package io.sluice.bench.load;

/**
 * What callers want.
 *
 * @param ttftMillis the longest time to the first token
 * @param tpotMillis the longest time per further token, the mean of an answer
 */
record Objectives(double ttftMillis, double tpotMillis) {
  boolean areMet(Outcome outcome) {
    return outcome.isWhole()
        && outcome.ttftMillis() <= ttftMillis
        && outcome.tpotMillis() <= tpotMillis;
  }
}
