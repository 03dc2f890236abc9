package io.sluice.simulator.engine;

/**
 * When output counts as repeating itself: if it ends with a pattern that came {@code minCount}
 * times in a row. The rule of vLLM's {@code repetition_detection}.
 *
 * @param maxPatternSize tokens of the longest pattern that is looked for; 0 for none
 * @param minPatternSize tokens of the shortest one; 0 for 1
 * @param minCount how often it must come; below 2 nothing is looked for
 */
public record RepetitionRule(int maxPatternSize, int minPatternSize, int minCount) {

  /** Looks for nothing. */
  public static final RepetitionRule NONE = new RepetitionRule(0, 0, 0);

  /** Returns whether the first {@code count} of these tokens end with a repeated pattern. */
  boolean isMet(int[] tokens, int count) {
    if (minCount < 2) {
      return false;
    }
    int shortest = Math.max(1, minPatternSize);
    for (int size = shortest; size <= maxPatternSize; size++) {
      if ((long) size * minCount > count) {
        return false;
      }
      if (repeats(tokens, count, size)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether each token at the end equals the one that stands a pattern before it. */
  private boolean repeats(int[] tokens, int count, int size) {
    for (int at = count - size * (minCount - 1); at < count; at++) {
      if (tokens[at] != tokens[at - size]) {
        return false;
      }
    }
    return true;
  }
}
