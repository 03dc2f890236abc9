package io.sluice.bench.fleet.run;

import io.sluice.simulator.text.SplitMix;

/** Pseudo-random numbers that follow from their arguments. */
public final class Mix {
  private Mix() {}

  /** Returns a number that follows from one other. */
  public static long next(long value) {
    return SplitMix.mix(value + SplitMix.GOLDEN_GAMMA);
  }

  /** Returns a number that follows from two others, in their order. */
  public static long of(long a, long b) {
    return next(next(a) + b);
  }
}
