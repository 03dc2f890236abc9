package io.sluice.fleet;

/**
 * How fast an engine works now, as its worker measures it. From this a router predicts when the
 * next request there would have its first token.
 *
 * @param prefillTokensPerSecond prompt tokens computed in a second of prefill, cached ones not
 *     counted; 0 while it is not known
 * @param stepMillis mean time between two tokens of a stream, which is that of a batch step; 0
 *     while it is not known
 * @param waitingPromptTokens prompt tokens of the requests that the worker holds and that have no
 *     token yet
 */
public record EnginePace(
    double prefillTokensPerSecond, double stepMillis, long waitingPromptTokens) {
  /** Of an engine that has not been measured. */
  public static final EnginePace UNKNOWN = new EnginePace(0, 0, 0);

  /** A measurement that is no number is none. */
  public EnginePace {
    prefillTokensPerSecond = positive(prefillTokensPerSecond);
    stepMillis = positive(stepMillis);
    waitingPromptTokens = Math.max(0, waitingPromptTokens);
  }

  private static double positive(double value) {
    return Double.isFinite(value) && value > 0 ? value : 0;
  }
}
