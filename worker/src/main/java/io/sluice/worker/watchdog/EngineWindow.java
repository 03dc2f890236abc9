package io.sluice.worker.watchdog;

import io.sluice.worker.health.EngineCount;
import io.sluice.worker.health.EngineTotals;
import java.time.Duration;
import java.util.OptionalDouble;

/**
 * What an engine did during a window of time.
 *
 * @param length of the window
 * @param requests the mean number of requests in the engine
 * @param contextTokens the mean number of tokens in their contexts
 * @param isQueueing whether requests waited in the engine at any probe
 * @param kvUsage the mean use of its KV cache, 0 to 1; empty for engines without metrics
 * @param added the growth of its counters
 */
record EngineWindow(
    Duration length,
    double requests,
    double contextTokens,
    boolean isQueueing,
    OptionalDouble kvUsage,
    EngineTotals added) {
  private static final double LEAST_FIRST_TOKENS = 3;
  private static final double LEAST_INTER_TOKENS = 50;
  private static final double LEAST_PROMPT_TOKENS = 1_000;
  private static final double MILLIS = 1_000;

  /**
   * Returns the mean time to the first token in ms. Empty if requests queued, since a queue tells
   * more of the load than of the engine, and with fewer than {@value #LEAST_FIRST_TOKENS} first
   * tokens.
   */
  OptionalDouble firstTokenMillis() {
    double tokens = added.orZero(EngineCount.FIRST_TOKENS);
    return isQueueing || tokens < LEAST_FIRST_TOKENS
        ? OptionalDouble.empty()
        : OptionalDouble.of(added.orZero(EngineCount.FIRST_TOKEN_SECONDS) * MILLIS / tokens);
  }

  /** Returns the mean time between two tokens of a stream in ms; empty with few tokens. */
  OptionalDouble interTokenMillis() {
    return added.orZero(EngineCount.INTER_TOKENS) < LEAST_INTER_TOKENS
        ? OptionalDouble.empty()
        : added.interTokenMillis();
  }

  /** Returns the share of prompt tokens that came from the prefix cache; empty with few tokens. */
  OptionalDouble hitRate() {
    OptionalDouble cached = added.get(EngineCount.CACHED_TOKENS);
    double prompts = cached.orElse(0) + added.orZero(EngineCount.PREFILL_TOKENS);
    return cached.isEmpty() || prompts < LEAST_PROMPT_TOKENS
        ? OptionalDouble.empty()
        : OptionalDouble.of(cached.getAsDouble() / prompts);
  }

  /** Returns whether there was no request in the engine. */
  boolean isIdle() {
    return requests == 0;
  }

  /** Returns whether all times can be judged. */
  boolean tellsAll() {
    return added.orZero(EngineCount.FIRST_TOKENS) >= LEAST_FIRST_TOKENS
        && added.orZero(EngineCount.INTER_TOKENS) >= LEAST_INTER_TOKENS;
  }

  /** Prompt tokens that were computed, per request. */
  double promptTokens() {
    return added.orZero(EngineCount.PREFILL_TOKENS)
        / Math.max(1, added.orZero(EngineCount.FIRST_TOKENS));
  }

  /** Prompt tokens that were computed, per second. */
  double prefillRate() {
    return added.orZero(EngineCount.PREFILL_TOKENS) * MILLIS / Math.max(1, length.toMillis());
  }
}
