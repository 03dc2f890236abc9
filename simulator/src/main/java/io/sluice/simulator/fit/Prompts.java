package io.sluice.simulator.fit;

import java.util.SplittableRandom;

/**
 * Generates prompts of random token ids. The ids are from 100 to 999: every vocabulary contains
 * them, and hardly any gives them a special meaning. Equal seeds give equal prompts. Not
 * thread-safe.
 */
public final class Prompts {

  private static final int LOWEST = 100;
  private static final int BEYOND = 1000;

  private final SplittableRandom random;

  /** Starts a sequence of prompts with this seed. */
  public Prompts(long seed) {
    random = new SplittableRandom(seed);
  }

  /** Returns the next prompt. It shares no prefix with the others. */
  public int[] next(int tokens) {
    return random.ints(tokens, LOWEST, BEYOND).toArray();
  }
}
