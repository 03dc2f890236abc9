package io.sluice.bench.fleet.run;

/** Pseudo-random numbers that follow from their arguments: SplitMix64's finalizer. */
public final class Mix {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private Mix() {}

  /** Returns a number that follows from one other. */
  public static long next(long value) {
    long z = value + GOLDEN;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** Returns a number that follows from two others, in their order. */
  public static long of(long a, long b) {
    return next(next(a) + b);
  }
}
