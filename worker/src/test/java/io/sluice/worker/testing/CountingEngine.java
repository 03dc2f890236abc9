package io.sluice.worker.testing;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.EngineStats;
import io.sluice.simulator.engine.LiveSequence;
import io.sluice.simulator.engine.SequenceRequest;
import io.sluice.simulator.engine.VirtualEngine;
import io.sluice.simulator.text.TokenIds;
import io.sluice.worker.health.EngineCount;
import io.sluice.worker.health.EngineTotals;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** A simulated engine in virtual time, with the counters that engines report. */
public final class CountingEngine {
  private final VirtualEngine engine;
  private final Map<Long, Long> lastNanos = new HashMap<>();
  private long nextId;
  private long contextTokens;
  private double prefillTokens;
  private double cachedTokens;
  private double firstTokens;
  private double firstTokenSeconds;
  private double interTokens;
  private double interTokenSeconds;

  public CountingEngine(EngineConfig config) {
    engine = new VirtualEngine(config, this::take);
  }

  /** A request arrives, not earlier than those before it. */
  public void submit(long atNanos, int[] prompt, int outputTokens) {
    engine.runUntil(atNanos);
    lastNanos.put(nextId, atNanos);
    contextTokens += prompt.length;
    engine.submit(
        new SequenceRequest(nextId++, TokenIds.of(prompt), outputTokens, Set.of(), 0, () -> 1));
  }

  public void runUntil(long nanos) {
    engine.runUntil(nanos);
  }

  public EngineStats stats() {
    return engine.stats();
  }

  /** Tokens of the contexts of all requests that have not ended. */
  public long contextTokens() {
    return contextTokens;
  }

  /** Loses blocks for good, and slows all steps down by a factor. */
  public void decline(int blocks, double factor) {
    engine.engine().leakBlocks(blocks);
    engine.engine().slowBy(factor);
  }

  public EngineTotals totals() {
    return new EngineTotals(
        Map.of(
            EngineCount.PREFILL_TOKENS, prefillTokens,
            EngineCount.CACHED_TOKENS, cachedTokens,
            EngineCount.FIRST_TOKENS, firstTokens,
            EngineCount.FIRST_TOKEN_SECONDS, firstTokenSeconds,
            EngineCount.INTER_TOKENS, interTokens,
            EngineCount.INTER_TOKEN_SECONDS, interTokenSeconds));
  }

  private void take(LiveSequence sequence, int token, long endNanos) {
    long id = sequence.request().id();
    double seconds = (endNanos - lastNanos.get(id)) / 1e9;
    lastNanos.put(id, endNanos);
    contextTokens++;
    int prompt = sequence.request().prompt().size();
    if (sequence.outputTokens() == 1) {
      prefillTokens += prompt - sequence.cachedTokens();
      cachedTokens += sequence.cachedTokens();
      firstTokens++;
      firstTokenSeconds += seconds;
    } else {
      interTokens++;
      interTokenSeconds += seconds;
    }
    if (sequence.outputTokens() == sequence.request().maxTokens()) {
      contextTokens -= prompt + sequence.outputTokens();
      lastNanos.remove(id);
    }
  }
}
