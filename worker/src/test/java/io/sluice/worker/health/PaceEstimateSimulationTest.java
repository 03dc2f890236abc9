package io.sluice.worker.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.GpuProfile;
import io.sluice.simulator.engine.LiveSequence;
import io.sluice.simulator.engine.SequenceRequest;
import io.sluice.simulator.engine.Timing;
import io.sluice.simulator.engine.VirtualEngine;
import io.sluice.simulator.text.TokenIds;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The estimate on a simulated engine that computes 14,286 prompt tokens a second and no more. */
class PaceEstimateSimulationTest {
  private static final double TRUE_RATE = 1_000 / 0.07;
  private static final Duration LOOK = Duration.ofMillis(500);

  private final SplittableRandom random = new SplittableRandom(3);
  private final Map<Long, Long> lastNanos = new HashMap<>();
  private final PaceEstimate estimate = new PaceEstimate();
  private final VirtualEngine engine =
      new VirtualEngine(EngineConfig.of(Timing.of(GpuProfile.A100_80), 32_768), this::take);
  private double prefillTokens;
  private double firstTokens;
  private double firstTokenSeconds;
  private double interTokens;
  private double interTokenSeconds;

  @ParameterizedTest
  @CsvSource({"1, 1000", "4, 1000", "10, 1000", "0.3, 20000", "0.5, 30000", "2, 4000"})
  void thePrefillRateIsFoundAtAnyLoad(double requestsPerSecond, int promptTokens) {
    double at = 0;
    EngineTotals before = totals();
    long id = 0;
    for (int look = 1; look <= 240; look++) {
      long endNanos = look * LOOK.toNanos();
      for (; at < endNanos; at += -Math.log(1 - random.nextDouble()) / requestsPerSecond * 1e9) {
        engine.runUntil((long) at);
        lastNanos.put(id, (long) at);
        int[] prompt = random.ints(promptTokens, 1, 100_000).toArray();
        engine.submit(new SequenceRequest(id++, TokenIds.of(prompt), 100, Set.of(), 0, () -> 1));
      }
      engine.runUntil(endNanos);
      boolean isBusy = engine.stats().running() + engine.stats().waiting() > 0;
      EngineTotals now = totals();
      estimate.observe(now.since(before), LOOK, isBusy);
      before = now;
    }

    assertThat(estimate.prefillTokensPerSecond()).isBetween(0.6 * TRUE_RATE, 1.15 * TRUE_RATE);
  }

  private void take(LiveSequence sequence, int token, long endNanos) {
    long id = sequence.request().id();
    double seconds = (endNanos - lastNanos.get(id)) / 1e9;
    lastNanos.put(id, endNanos);
    if (sequence.outputTokens() == 1) {
      prefillTokens += sequence.request().prompt().size() - sequence.cachedTokens();
      firstTokens++;
      firstTokenSeconds += seconds;
    } else {
      interTokens++;
      interTokenSeconds += seconds;
    }
  }

  private EngineTotals totals() {
    return new EngineTotals(
        Map.of(
            EngineCount.PREFILL_TOKENS, prefillTokens,
            EngineCount.FIRST_TOKENS, firstTokens,
            EngineCount.FIRST_TOKEN_SECONDS, firstTokenSeconds,
            EngineCount.INTER_TOKENS, interTokens,
            EngineCount.INTER_TOKEN_SECONDS, interTokenSeconds));
  }
}
