package io.sluice.simulator.text;

import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;

/**
 * The whole answer of a model to one original prompt: an endless text with a natural end, generated
 * passage by passage and only as far as it is read.
 *
 * <p>A pure function of its seed, of whether it follows white space, and of the permitted passages.
 * Tokens are aligned to passages, so that a token of the script is the same wherever reading
 * starts. Not thread-safe.
 */
final class Script {

  private static final int SHORTEST_TOKENS = 40;
  private static final int LENGTH_SPREAD_TOKENS = 280;

  /** The number of passages in a row that may be rejected; the next one is used in any case. */
  private static final int MOST_DRAWS = 100;

  private final Prose prose;
  private final boolean afterSpace;
  private final Predicate<String> permitted;

  /** The natural end is after the first passage that reaches this number of tokens. */
  private final int naturalTokens;

  private boolean started;

  Script(long seed, boolean afterSpace, Predicate<String> permitted) {
    this.prose = new Prose(seed);
    this.afterSpace = afterSpace;
    this.permitted = permitted;
    RandomSequence length = new RandomSequence(SplitMix.mix(seed ^ 0x5DEECE66DL));
    // The smaller of two draws, since short answers are more common than long ones.
    this.naturalTokens =
        SHORTEST_TOKENS
            + Math.min(length.below(LENGTH_SPREAD_TOKENS), length.below(LENGTH_SPREAD_TOKENS));
  }

  int naturalTokens() {
    return naturalTokens;
  }

  /** Returns the next passage as UTF-8. */
  byte[] nextPassage() {
    String passage = draw();
    for (int i = 1; i < MOST_DRAWS && !permitted.test(passage); i++) {
      passage = draw();
    }
    started = true;
    return passage.getBytes(StandardCharsets.UTF_8);
  }

  private String draw() {
    return started ? prose.next() : prose.first(afterSpace);
  }
}
