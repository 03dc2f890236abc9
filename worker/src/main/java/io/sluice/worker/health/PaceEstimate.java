package io.sluice.worker.health;

import java.time.Duration;

/**
 * How fast an engine prefills and decodes, from what it added to its counts between two looks.
 *
 * <p>The prefill rate is to predict a first token: how many prompt tokens the engine works off in a
 * second while there are some. Prefills overlap each other, and an engine does not always prefill;
 * so the time spent on it is at most the waits for first tokens added up, each less one step that
 * was under way, and at most the time on the clock. That step is taken for no more than half of the
 * waits: a mean step holds prefill, too, and an engine that runs little else would seem to prefill
 * in no time at all. With sums that forget over some {@value #REMEMBERED} looks,
 *
 * <pre>rate = prompt tokens computed / min(sum of waits, time on the clock)</pre>
 *
 * is therefore about a lower bound, and a close one while prompts are long or many. The estimate
 * follows it fast upwards and slowly downwards. Sums of few tokens say nothing of the rate, an idle
 * engine says nothing at all: the last estimate stands. Not thread-safe.
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
   * Takes in what was added between two looks.
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

  /** Prompt tokens computed in a second of prefill; 0 while it is not known. */
  public double prefillTokensPerSecond() {
    return prefillTokensPerSecond;
  }

  /** Mean time between two tokens of a stream; 0 while it is not known. */
  public double stepMillis() {
    return stepMillis;
  }

  private void follow(double rate) {
    double known = prefillTokensPerSecond;
    double weight = rate > known ? UPWARDS : DOWNWARDS;
    prefillTokensPerSecond = known == 0 ? rate : known + weight * (rate - known);
  }
}
