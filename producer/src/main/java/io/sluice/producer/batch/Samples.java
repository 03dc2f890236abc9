package io.sluice.producer.batch;

import java.util.Arrays;

/** Measured values for exact percentiles; 8 bytes each. Not thread-safe. */
final class Samples {
  private long[] values = new long[64];
  private int count;

  void add(long value) {
    if (count == values.length) {
      values = Arrays.copyOf(values, count * 2);
    }
    values[count++] = value;
  }

  /** Returns the percentiles by the nearest-rank method; zeros if there are no values. */
  Percentiles percentiles() {
    long[] sorted = Arrays.copyOf(values, count);
    Arrays.sort(sorted);
    return new Percentiles(count, rank(sorted, 50), rank(sorted, 95));
  }

  private static long rank(long[] sorted, int percent) {
    return sorted.length == 0 ? 0 : sorted[Math.ceilDiv(sorted.length * percent, 100) - 1];
  }
}
