package io.sluice.simulator.engine;

import java.util.List;

/**
 * The effect of one engine step, with its tokens.
 *
 * @param summary the times and counts
 * @param outputs one token for every sequence whose known tokens are all computed; the tokens exist
 *     when the time of the step is over
 */
public record StepResult(StepSummary summary, List<TokenOutput> outputs) {

  /** Returns the duration of the step; 0 if there was nothing to compute. */
  public long durationNanos() {
    return summary.durationNanos();
  }
}
