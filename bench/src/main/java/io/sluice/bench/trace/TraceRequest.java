package io.sluice.bench.trace;

/**
 * One recorded request.
 *
 * @param arrivalNanos since the start of the trace
 * @param promptTokens at least 1
 * @param outputTokens at least 1
 * @param blocks the content of the prompt, one id per started {@value Trace#BLOCK_TOKENS} tokens;
 *     prompts with equal ids at their start begin with equal tokens. Empty if the trace does not
 *     say. Must not be modified
 */
public record TraceRequest(long arrivalNanos, int promptTokens, int outputTokens, long[] blocks) {

  /** Prompt and output together, in tokens. */
  public int contextTokens() {
    return promptTokens + outputTokens;
  }
}
