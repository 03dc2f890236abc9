package io.sluice.bench.stat;

/**
 * Counts durations in buckets that are 1 % apart, from a microsecond upwards, so that one duration
 * per token needs little memory. Not thread-safe.
 */
public final class DurationHistogram {
  private static final double STEP = Math.log(1.01);
  private static final double SMALLEST_NANOS = 1_000;

  /** Covers durations of more than an hour. */
  private final long[] counts = new long[2_300];

  private long total;

  /** Counts a duration. */
  public void add(long nanos) {
    double ratio = Math.max((double) nanos, SMALLEST_NANOS) / SMALLEST_NANOS;
    counts[Math.min(counts.length - 1, (int) (Math.log(ratio) / STEP))]++;
    total++;
  }

  /**
   * Returns the duration that at least this percentage of all do not exceed, within 1 %; 0 if there
   * are none.
   */
  public double percentileMillis(double percent) {
    long rank = Math.max(1, (long) Math.ceil(percent / 100 * total));
    long seen = 0;
    for (int i = 0; i < counts.length && total > 0; i++) {
      seen += counts[i];
      if (seen >= rank) {
        return SMALLEST_NANOS * Math.exp((i + 0.5) * STEP) / 1e6;
      }
    }
    return 0;
  }
}
