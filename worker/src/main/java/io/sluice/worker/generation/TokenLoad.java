package io.sluice.worker.generation;

import io.sluice.worker.engine.Usage;

/** What one generation weighs in the engine's KV cache. One thread writes, any may read. */
final class TokenLoad {
  /** Bytes of JSON per token, on the safe side for English text. */
  private static final int BYTES_PER_TOKEN = 4;

  private volatile int promptTokens;
  private volatile int outputTokens;

  TokenLoad(int bodyBytes) {
    promptTokens = bodyBytes / BYTES_PER_TOKEN;
  }

  /** The engine has told. */
  void measured(Usage usage) {
    promptTokens = usage.promptTokens();
  }

  /** So many output tokens were made. */
  void made(int tokens) {
    outputTokens = tokens;
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
