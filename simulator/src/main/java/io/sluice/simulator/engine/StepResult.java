package io.sluice.simulator.engine;

import java.util.List;

/**
 * What one engine step did, with its tokens.
 *
 * @param summary times and counts
 * @param outputs one token for every sequence whose known tokens are all computed; they exist when
 *     the step's time is over
 */
public record StepResult(StepSummary summary, List<TokenOutput> outputs) {

  /** Returns how long the step takes; 0 if there was nothing it could compute. */
  public long durationNanos() {
    return summary.durationNanos();
  }

  /** Returns the prompt tokens computed. */
  public int prefillTokens() {
    return summary.prefillTokens();
  }

  /** Returns the sequences that were given one decode slot. */
  public int decodeSequences() {
    return summary.decodeSequences();
  }
}
