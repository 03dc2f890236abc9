package io.sluice.worker.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PaceEstimateTest {
  private static final Duration LOOK = Duration.ofMillis(500);

  private final PaceEstimate estimate = new PaceEstimate();

  @Test
  void nothingIsKnownAtFirst() {
    assertThat(estimate.prefillTokensPerSecond()).isZero();
    assertThat(estimate.stepMillis()).isZero();
  }

  @Test
  void promptsOneAfterTheOtherAreMeasuredByTheirWaits() {
    observe(20, 1_000, 1, 0.1);

    assertThat(estimate.prefillTokensPerSecond()).isCloseTo(10_000, within(1.0));
  }

  @Test
  void promptsThatOverlapAreMeasuredByTheClock() {
    observe(40, 5_000, 10, 10);

    assertThat(estimate.prefillTokensPerSecond()).isCloseTo(10_000, within(200.0));
  }

  @Test
  void aPromptOfManyLooksIsMeasuredOverAllOfThem() {
    observe(5, 0, 0, 0);
    observe(1, 30_000, 1, 3);

    assertThat(estimate.prefillTokensPerSecond()).isBetween(9_000.0, 13_000.0);
  }

  @Test
  void theStepInProgressDoesNotCountAsPrefill() {
    estimate.observe(added(1_000, 10, 0.6, 100, 1), LOOK, true);

    assertThat(estimate.stepMillis()).isCloseTo(10, within(1e-9));
    assertThat(estimate.prefillTokensPerSecond()).isCloseTo(2_000, within(1.0));
  }

  @Test
  void stepsThatArePrefillThemselvesDoNotMakeItSeemToTakeNoTime() {
    for (int i = 0; i < 20; i++) {
      estimate.observe(added(2_000, 1, 0.4, 2, 0.8), LOOK, true);
    }

    assertThat(estimate.prefillTokensPerSecond()).isBetween(5_000.0, 10_001.0);
  }

  @Test
  void fewTokensSayNothing() {
    observe(10, 20, 1, 0.03);

    assertThat(estimate.prefillTokensPerSecond()).isZero();
  }

  @Test
  void anIdleEngineKeepsWhatIsKnown() {
    observe(20, 1_000, 1, 0.1);
    for (int i = 0; i < 1_000; i++) {
      estimate.observe(added(0, 0, 0, 0, 0), LOOK, false);
    }

    assertThat(estimate.prefillTokensPerSecond()).isCloseTo(10_000, within(1.0));
  }

  @Test
  void anEngineThatSlowedDownIsBelievedInTime() {
    observe(20, 1_000, 1, 0.1);

    observe(1, 1_000, 1, 0.4);
    assertThat(estimate.prefillTokensPerSecond()).isGreaterThan(9_000);
    observe(120, 1_000, 1, 0.4);

    assertThat(estimate.prefillTokensPerSecond()).isCloseTo(2_500, within(100.0));
  }

  private void observe(int times, double tokens, double requests, double waitSeconds) {
    for (int i = 0; i < times; i++) {
      estimate.observe(added(tokens, requests, waitSeconds, 0, 0), LOOK, true);
    }
  }

  private static EngineTotals added(
      double tokens, double requests, double waits, double gaps, double gapSeconds) {
    return new EngineTotals(
        Map.of(
            EngineCount.PREFILL_TOKENS, tokens,
            EngineCount.FIRST_TOKENS, requests,
            EngineCount.FIRST_TOKEN_SECONDS, waits,
            EngineCount.INTER_TOKENS, gaps,
            EngineCount.INTER_TOKEN_SECONDS, gapSeconds));
  }
}
