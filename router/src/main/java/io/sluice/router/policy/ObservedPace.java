package io.sluice.router.policy;

/**
 * How fast one engine computes prompts, as a router sees it from outside: prompt tokens from an
 * assignment to its first token, those before it in the queue included, over the time between.
 * Averaged in the logarithm, {@code ln v += 0.15 * (ln sample - ln v)}, each sample held to a
 * factor of 3 of what is known, so that one stray report changes little. Small samples tell of
 * latency rather than speed, and are not used. Not thread-safe.
 */
final class ObservedPace {
  private static final double GAIN = 0.15;
  private static final double MOST_CHANGE = Math.log(3);
  private static final long LEAST_TOKENS = 512;

  private double logarithm;
  private boolean known;

  /** A first token came, so many prompt tokens and nanoseconds after its assignment. */
  void observe(long tokens, long nanos, double stepMillis) {
    double seconds = nanos / 1e9 - stepMillis / 1e3;
    if (tokens >= LEAST_TOKENS && seconds > 0) {
      double sample = Math.log(tokens / seconds);
      double change = Math.clamp(sample - logarithm, -MOST_CHANGE, MOST_CHANGE);
      logarithm = known ? logarithm + GAIN * change : sample;
      known = true;
    }
  }

  /** Prompt tokens per second; 0 while nothing was observed. */
  double tokensPerSecond() {
    return known ? Math.exp(logarithm) : 0;
  }
}
