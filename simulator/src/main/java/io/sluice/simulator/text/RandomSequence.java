package io.sluice.simulator.text;

import java.util.List;

/** The random sequence of {@link SplitMix}. */
final class RandomSequence {

  private long state;

  RandomSequence(long seed) {
    state = seed;
  }

  /** Returns a number from 0 to {@code bound}, exclusive. */
  int below(int bound) {
    state += SplitMix.GOLDEN_GAMMA;
    return (int) (((SplitMix.mix(state) >>> 33) * bound) >>> 31);
  }

  boolean oneIn(int chances) {
    return below(chances) == 0;
  }

  <T> T pick(List<T> choices) {
    return choices.get(below(choices.size()));
  }
}
