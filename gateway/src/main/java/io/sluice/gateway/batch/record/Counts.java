package io.sluice.gateway.batch.record;

import io.sluice.common.openai.Usage;

/**
 * The requests of a batch that have a result.
 *
 * @param completed those with an answer
 * @param failed all others
 * @param expired how many of the failed ones had no time left
 * @param cancelled how many of the failed ones were cancelled
 * @param input tokens of prompts
 * @param cached how many of these came from prefix caches
 * @param output tokens of answers
 * @param reasoning how many of these were reasoning
 */
public record Counts(
    long completed,
    long failed,
    long expired,
    long cancelled,
    long input,
    long cached,
    long output,
    long reasoning) {
  /** No request has a result. */
  public static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0, 0);

  /** One request that failed. */
  public static final Counts FAILED = new Counts(0, 1, 0, 0, 0, 0, 0, 0);

  /** One request that had no time left. */
  public static final Counts EXPIRED = new Counts(0, 1, 1, 0, 0, 0, 0, 0);

  /** One request that was cancelled. */
  public static final Counts CANCELLED = new Counts(0, 1, 0, 1, 0, 0, 0, 0);

  /** One request with an answer. */
  public static Counts answered(Usage usage) {
    return new Counts(
        1,
        0,
        0,
        0,
        usage.promptTokens(),
        usage.cachedTokens().orElse(0),
        usage.completionTokens(),
        usage.reasoningTokens().orElse(0));
  }

  /** Returns how many requests have a result. */
  public long results() {
    return completed + failed;
  }

  /** Returns the sum. */
  public Counts plus(Counts more) {
    return new Counts(
        completed + more.completed,
        failed + more.failed,
        expired + more.expired,
        cancelled + more.cancelled,
        input + more.input,
        cached + more.cached,
        output + more.output,
        reasoning + more.reasoning);
  }
}
