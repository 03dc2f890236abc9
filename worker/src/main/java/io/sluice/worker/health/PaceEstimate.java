package io.sluice.worker.health;

import java.time.Duration;

/**
 * Estimates how fast an engine prefills and decodes, from the growth of its counters between two
 * probes.
 *
 * <p>The prefill rate is used to predict time to first token: it is the number of prompt tokens
 * that the engine computes per second while it has some. Prefills overlap, and an engine does not
 * prefill all the time. So the time spent on prefill is at most the sum of the waits for first
 * tokens, each less one decode step that was in progress, and at most the elapsed time. That step
 * is taken as at most half of the wait: a mean step includes prefill, and an engine that runs
 * little else would otherwise seem to prefill in no time. With sums that decay over about {@value
 * #REMEMBERED} probes,
 *
 * <pre>rate = prompt tokens computed / min(sum of waits, elapsed time)</pre>
 *
 * is approximately a lower bound, and a close one if prompts are long or many. The estimate follows
 * it quickly upwards and slowly downwards. Sums of few tokens do not change the rate, and an idle
 * engine does not change any estimate. Not thread-safe.
 */
public final class PaceEstimate {
  private static final int REMEMBERED = 10;
  private static final double KEPT = 1 - 1.0 / REMEMBERED;
  private static final double UPWARDS = 0.5;
  private static final double DOWNWARDS = 0.05;
  private static final double STEP_WEIGHT = 0.3;
  private static final double LEAST_TOKENS = 512;
  private static final double LEAST_SECONDS = 1e-3;

  private double tokens;
  private double waitSeconds;
  private double clockSeconds;
  private double prefillTokensPerSecond;
  private double stepMillis;

  /**
   * Takes the growth of the counters between two probes.
   *
   * @param elapsed the time between them
   * @param isBusy whether the engine had anything to do
   */
  public void observe(EngineTotals added, Duration elapsed, boolean isBusy) {
    added
        .interTokenMillis()
        .ifPresent(
            millis ->
                stepMillis =
                    stepMillis == 0 ? millis : stepMillis + STEP_WEIGHT * (millis - stepMillis));
    double newTokens = added.orZero(EngineCount.PREFILL_TOKENS);
    if (!isBusy && newTokens == 0) {
      return;
    }
    double newWaits = added.orZero(EngineCount.FIRST_TOKEN_SECONDS);
    double steps = added.orZero(EngineCount.FIRST_TOKENS) * stepMillis / 1_000;
    tokens = tokens * KEPT + newTokens;
    waitSeconds = waitSeconds * KEPT + Math.max(newWaits / 2, newWaits - steps);
    clockSeconds = clockSeconds * KEPT + elapsed.toNanos() / 1e9;
    if (newTokens > 0 && tokens >= LEAST_TOKENS) {
      follow(tokens / Math.max(LEAST_SECONDS, Math.min(waitSeconds, clockSeconds)));
    }
  }

  /** Prompt tokens computed per second of prefill; 0 if not known yet. */
  public double prefillTokensPerSecond() {
    return prefillTokensPerSecond;
  }

  /** Mean time between two tokens of a stream; 0 if not known yet. */
  public double stepMillis() {
    return stepMillis;
  }

  private void follow(double rate) {
    double known = prefillTokensPerSecond;
    double weight = rate > known ? UPWARDS : DOWNWARDS;
    prefillTokensPerSecond = known == 0 ? rate : known + weight * (rate - known);
  }
}
