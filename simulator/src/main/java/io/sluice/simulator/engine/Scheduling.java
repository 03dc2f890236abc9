package io.sluice.simulator.engine;

/**
 * The limits and rules of the scheduler.
 *
 * @param maxNumSeqs the largest number of running sequences
 * @param maxNumBatchedTokens the largest number of tokens computed in one step
 * @param longPrefillTokenThreshold the largest number of tokens of one prompt in one step; 0 for no
 *     limit
 * @param policy the order of sequences
 * @param maxLoras the largest number of LoRA adapters in one step; 0 if adapters are disabled
 * @param async whether a step is decided when the previous one starts, so that the engine need not
 *     wait for the scheduler
 */
public record Scheduling(
    int maxNumSeqs,
    int maxNumBatchedTokens,
    int longPrefillTokenThreshold,
    SchedulingPolicy policy,
    int maxLoras,
    boolean async) {

  /** Validates the limits. The messages say what to change. */
  public Scheduling {
    if (maxNumSeqs < 1 || maxNumBatchedTokens < 1) {
      throw new IllegalArgumentException(
          "max-num-seqs and max-num-batched-tokens must be at least 1.");
    }
    if (longPrefillTokenThreshold < 0 || maxLoras < 0) {
      throw new IllegalArgumentException(
          "long-prefill-token-threshold and max-loras must not be negative.");
    }
  }

  /**
   * Returns the rules for order of arrival, without a threshold or adapters, and without async
   * scheduling.
   */
  public static Scheduling of(int maxNumSeqs, int maxNumBatchedTokens) {
    return new Scheduling(maxNumSeqs, maxNumBatchedTokens, 0, SchedulingPolicy.FCFS, 0, false);
  }

  /** Returns these rules with other limits of a step. */
  public Scheduling withLimits(int sequences, int batchedTokens) {
    return new Scheduling(
        sequences, batchedTokens, longPrefillTokenThreshold, policy, maxLoras, async);
  }

  /** Returns these rules with a limit for the tokens of one prompt in a step. */
  public Scheduling withLongPrefillTokenThreshold(int tokens) {
    return new Scheduling(maxNumSeqs, maxNumBatchedTokens, tokens, policy, maxLoras, async);
  }

  /** Returns these rules with another limit of LoRA adapters. */
  public Scheduling withMaxLoras(int adapters) {
    return new Scheduling(
        maxNumSeqs, maxNumBatchedTokens, longPrefillTokenThreshold, policy, adapters, async);
  }

  /** Returns these rules with async scheduling enabled or disabled. */
  public Scheduling withAsync(boolean on) {
    return new Scheduling(
        maxNumSeqs, maxNumBatchedTokens, longPrefillTokenThreshold, policy, maxLoras, on);
  }
}
