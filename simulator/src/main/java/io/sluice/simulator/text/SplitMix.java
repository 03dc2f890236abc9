package io.sluice.simulator.text;

/**
 * The finalizer of SplitMix64 (Steele, Lea, Flood 2014), which is the same on every JDK, so that
 * what follows from it never changes between releases.
 */
public final class SplitMix {
  /** The step between the states of a sequence. */
  public static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  private SplitMix() {}

  /** Returns a number that looks random. */
  public static long mix(long value) {
    long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
