package io.sluice.simulator.serving;

/** The choices of one prompt. The statistics treat them as one request with a parameter n. */
final class PromptGroup {

  private final int n;
  private int finished;
  private int mostOutputTokens;

  PromptGroup(int n) {
    this.n = n;
  }

  int n() {
    return n;
  }

  int mostOutputTokens() {
    return mostOutputTokens;
  }

  /** Counts the end of a choice. Returns whether it was the last one. */
  boolean finishOne(int outputTokens) {
    mostOutputTokens = Math.max(mostOutputTokens, outputTokens);
    return ++finished == n;
  }
}
