package io.sluice.worker.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import io.sluice.worker.testing.CountingEngine;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The estimate on a simulated engine that computes 14,286 prompt tokens a second and no more. */
class PaceEstimateSimulationTest {
  private static final double TRUE_RATE = 1_000 / 0.07;
  private static final Duration LOOK = Duration.ofMillis(500);

  private final SplittableRandom random = new SplittableRandom(3);
  private final PaceEstimate estimate = new PaceEstimate();
  private final CountingEngine engine =
      new CountingEngine(EngineConfig.of(Timing.of(GpuProfile.A100_80), 32_768));

  @ParameterizedTest
  @CsvSource({"1, 1000", "4, 1000", "10, 1000", "0.3, 20000", "0.5, 30000", "2, 4000"})
  void thePrefillRateIsFoundAtAnyLoad(double requestsPerSecond, int promptTokens) {
    double at = 0;
    EngineTotals before = engine.totals();
    for (int look = 1; look <= 240; look++) {
      long endNanos = look * LOOK.toNanos();
      for (; at < endNanos; at += -Math.log(1 - random.nextDouble()) / requestsPerSecond * 1e9) {
        engine.submit((long) at, random.ints(promptTokens, 1, 100_000).toArray(), 100);
      }
      engine.runUntil(endNanos);
      boolean isBusy = engine.stats().running() + engine.stats().waiting() > 0;
      EngineTotals now = engine.totals();
      estimate.observe(now.since(before), LOOK, isBusy);
      before = now;
    }

    assertThat(estimate.prefillTokensPerSecond()).isBetween(0.6 * TRUE_RATE, 1.15 * TRUE_RATE);
  }
}
