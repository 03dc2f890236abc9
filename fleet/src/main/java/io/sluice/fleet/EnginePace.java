package io.sluice.fleet;

/**
 * The current speed of an engine, as its worker measures it. A router predicts from it when the
 * next request at this worker would have its first token.
 *
 * @param prefillTokensPerSecond prompt tokens computed per second of prefill, without cached ones;
 *     0 if not known
 * @param stepMillis the mean time between two tokens of a stream, which is the duration of a batch
 *     step; 0 if not known
 * @param waitingPromptTokens prompt tokens of the requests that the worker holds and that have no
 *     token yet
 */
public record EnginePace(
    double prefillTokensPerSecond, double stepMillis, long waitingPromptTokens) {
  /** The speed of an engine that has not been measured. */
  public static final EnginePace UNKNOWN = new EnginePace(0, 0, 0);

  /** Replaces a measurement that is not a number by 0. */
  public EnginePace {
    prefillTokensPerSecond = positive(prefillTokensPerSecond);
    stepMillis = positive(stepMillis);
    waitingPromptTokens = Math.max(0, waitingPromptTokens);
  }

  private static double positive(double value) {
    return Double.isFinite(value) && value > 0 ? value : 0;
  }
}
