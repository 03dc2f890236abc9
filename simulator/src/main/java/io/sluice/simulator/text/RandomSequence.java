package io.sluice.simulator.text;

import java.util.List;

/**
 * SplitMix64 (Steele, Lea, Flood 2014): a small random sequence that is the same on every JDK, so
 * that a text never changes between releases.
 */
final class RandomSequence {

  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  private long state;

  RandomSequence(long seed) {
    state = seed;
  }

  static long mix(long value) {
    long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** Returns a number from 0 to {@code bound}, exclusive. */
  int below(int bound) {
    state += GOLDEN_GAMMA;
    return (int) (((mix(state) >>> 33) * bound) >>> 31);
  }

  boolean oneIn(int chances) {
    return below(chances) == 0;
  }

  <T> T pick(List<T> choices) {
    return choices.get(below(choices.size()));
  }
}
