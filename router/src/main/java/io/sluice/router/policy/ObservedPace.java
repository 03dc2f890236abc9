package io.sluice.router.policy;

/**
 * How fast one engine computes prompts, as a router observes it: the prompt tokens from an
 * assignment to its first token, including those before it in the queue, divided by the time
 * between. The average is logarithmic, {@code ln v += 0.15 * (ln sample - ln v)}, and each sample
 * is limited to a factor of 3 of the current value, so that an outlier changes little. Small
 * samples measure latency rather than speed and are not used. Not thread-safe.
 */
final class ObservedPace {
  private static final double GAIN = 0.15;
  private static final double MOST_CHANGE = Math.log(3);
  private static final long LEAST_TOKENS = 512;

  private double logarithm;
  private boolean known;

  /** A first token arrived, this many prompt tokens and nanoseconds after its assignment. */
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
