package io.sluice.bench.trace.generated;

import java.util.SplittableRandom;

/** Random numbers of some distributions, the same on every machine. Not thread-safe. */
final class Draws {
  private final SplittableRandom random;

  Draws(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /** Between 0 and 1. */
  double fraction() {
    return random.nextDouble();
  }

  boolean chance(double probability) {
    return fraction() < probability;
  }

  /** Returns a whole number, both ends included, each as likely. */
  int between(int least, int most) {
    return least + (int) (fraction() * (most - least + 1));
  }

  /** Returns a number of at least 1, such as that of the tries until one succeeds. */
  int geometric(double mean) {
    int tries = 1;
    while (!chance(1 / mean)) {
      tries++;
    }
    return tries;
  }

  /** Returns the time between events that are independent of each other, in nanoseconds. */
  long exponentialNanos(double meanSeconds) {
    return (long) (-meanSeconds * 1e9 * StrictMath.log(1 - fraction()));
  }

  /**
   * Returns a log-normal number.
   *
   * @param sigma the deviation of its logarithm
   */
  double logNormal(double median, double sigma) {
    double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - fraction()));
    return median * StrictMath.exp(sigma * radius * StrictMath.cos(2 * StrictMath.PI * fraction()));
  }

  /** Returns a log-normal number of tokens, from 1 up to a limit. */
  int tokens(double median, double sigma, int most) {
    return Math.clamp(Math.round(logNormal(median, sigma)), 1, most);
  }
}
