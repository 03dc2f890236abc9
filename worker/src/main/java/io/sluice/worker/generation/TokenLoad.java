package io.sluice.worker.generation;

import io.sluice.common.openai.Usage;
import java.time.Duration;

/**
 * The context tokens of one generation in the engine's KV cache. One thread writes, any thread may
 * read.
 */
final class TokenLoad {
  /** Bytes of JSON per token; a cautious estimate for English text. */
  private static final int BYTES_PER_TOKEN = 4;

  private volatile int promptTokens;
  private volatile int outputTokens;
  private volatile long firstNanos;
  private volatile long lastNanos;

  TokenLoad(int bodyBytes) {
    estimate(bodyBytes);
  }

  /** Estimates the prompt by its size. Not to be called after the engine has reported its usage. */
  void estimate(int bytes) {
    promptTokens = bytes / BYTES_PER_TOKEN;
  }

  /**
   * The engine has reported its usage.
   *
   * @param earlier output tokens of earlier attempts that are in its prompt; they count as output
   */
  void measured(Usage usage, int earlier) {
    promptTokens = Math.max(0, usage.promptTokens() - earlier);
  }

  /** Records the output tokens so far, the last of which were made just now. */
  void made(int tokens, long nowNanos) {
    if (!hasOutput()) {
      firstNanos = nowNanos;
    }
    lastNanos = nowNanos;
    outputTokens = tokens;
  }

  /** Returns when the last tokens were made; meaningless without output. */
  long lastNanos() {
    return lastNanos;
  }

  /** Returns the time from the first token to the last one so far. */
  Duration span() {
    return hasOutput() ? Duration.ofNanos(lastNanos - firstNanos) : Duration.ZERO;
  }

  int promptTokens() {
    return promptTokens;
  }

  int outputTokens() {
    return outputTokens;
  }

  boolean hasOutput() {
    return outputTokens > 0;
  }

  long tokens() {
    return (long) promptTokens + outputTokens;
  }
}
