package io.sluice.bench.trace;

/**
 * One request of a trace.
 *
 * @param arrivalNanos since the start of the trace
 * @param promptTokens at least 1
 * @param outputTokens at least 1
 * @param blocks the content of the prompt, one id per started {@value Trace#BLOCK_TOKENS} tokens;
 *     prompts with equal ids at their start begin with equal tokens. Empty if the trace does not
 *     say. Must not be modified
 * @param session the conversation, task or document that its caller can name; 0 if the trace does
 *     not say
 */
public record TraceRequest(
    long arrivalNanos, int promptTokens, int outputTokens, long[] blocks, long session) {

  /** A request of a trace that does not name sessions. */
  public TraceRequest(long arrivalNanos, int promptTokens, int outputTokens, long[] blocks) {
    this(arrivalNanos, promptTokens, outputTokens, blocks, 0);
  }

  /** Prompt and output together, in tokens. */
  public int contextTokens() {
    return promptTokens + outputTokens;
  }
}
