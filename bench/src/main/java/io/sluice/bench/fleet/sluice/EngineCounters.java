package io.sluice.bench.fleet.sluice;

import io.sluice.simulator.engine.LiveSequence;
import io.sluice.worker.health.EngineCount;
import io.sluice.worker.health.EngineTotals;
import java.util.Map;

/** What an engine's metrics count. */
final class EngineCounters {
  private double prefillTokens;
  private double firstTokens;
  private double firstTokenSeconds;
  private double interTokens;
  private double interTokenSeconds;

  /** Counts the next token of a request. */
  void token(HeldRequest request, LiveSequence generated, long endNanos) {
    if (request.outputTokens() > 0) {
      interTokens++;
      interTokenSeconds += request.waitedSeconds(endNanos);
    } else {
      firstTokens++;
      firstTokenSeconds += request.waitedSeconds(endNanos);
      prefillTokens += generated.request().prompt().size() - generated.cachedTokens();
    }
  }

  EngineTotals totals(long preemptions) {
    return new EngineTotals(
        Map.of(
            EngineCount.PREFILL_TOKENS, prefillTokens,
            EngineCount.FIRST_TOKENS, firstTokens,
            EngineCount.FIRST_TOKEN_SECONDS, firstTokenSeconds,
            EngineCount.INTER_TOKENS, interTokens,
            EngineCount.INTER_TOKEN_SECONDS, interTokenSeconds,
            EngineCount.PREEMPTIONS, (double) preemptions));
  }
}
