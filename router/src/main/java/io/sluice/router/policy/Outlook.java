package io.sluice.router.policy;

import io.sluice.fleet.WorkerSnapshot;

/**
 * What this router expects of one worker for one request, beyond the worker's report.
 *
 * @param indexedTokens the length of the prompt's prefix that the prefix index says is cached
 * @param cachedTokens the part of it that is expected in the engine's prefix cache
 * @param queuedTokens the prompt tokens that the engine computes before this prompt
 * @param prefillTokensPerSecond how fast it computes prompts; more than 0
 * @param stepMillis how long a step of its batch takes; more than 0
 */
public record Outlook(
    long indexedTokens,
    long cachedTokens,
    long queuedTokens,
    double prefillTokensPerSecond,
    double stepMillis) {
  /** Assumed of an engine that was never measured: an 8B model on one consumer GPU. */
  static final double ASSUMED_PREFILL_TOKENS_PER_SECOND = 8_000;

  static final double ASSUMED_STEP_MILLIS = 20;

  /** Returns the outlook from the worker's report alone. */
  public static Outlook of(WorkerSnapshot worker) {
    double prefill = worker.pace().prefillTokensPerSecond();
    double step = worker.pace().stepMillis();
    return new Outlook(
        0,
        0,
        worker.pace().waitingPromptTokens(),
        prefill > 0 ? prefill : ASSUMED_PREFILL_TOKENS_PER_SECOND,
        step > 0 ? step : ASSUMED_STEP_MILLIS);
  }

  /**
   * Returns how long a step takes if nothing else runs. The estimate is of the last load, which may
   * have been heavy, or a stall, and does not change while the engine is idle; so no more than the
   * usual step is assumed.
   */
  double idleStepMillis() {
    return Math.min(stepMillis, ASSUMED_STEP_MILLIS);
  }

  /** Returns how long the engine takes to compute this many prompt tokens, in milliseconds. */
  double prefillMillis(double tokens) {
    return 1_000 * tokens / prefillTokensPerSecond;
  }
}
