package io.sluice.bench.stat;

import java.util.Arrays;

/** Numbers and their percentiles by the nearest rank. Not thread-safe. */
public final class Samples {
  private double[] values = new double[256];
  private int count;
  private boolean sorted;

  /** Adds a number. */
  public void add(double value) {
    if (count == values.length) {
      values = Arrays.copyOf(values, count * 2);
    }
    values[count++] = value;
    sorted = false;
  }

  /** Returns the count of the numbers. */
  public int count() {
    return count;
  }

  /** Returns the numbers, in no order that callers may rely on. */
  public double[] values() {
    return Arrays.copyOf(values, count);
  }

  /**
   * Returns the smallest number that at least this percentage of all do not exceed; 0 if there are
   * none.
   */
  public double percentile(double percent) {
    if (count == 0) {
      return 0;
    }
    if (!sorted) {
      Arrays.sort(values, 0, count);
      sorted = true;
    }
    int rank = (int) Math.ceil(percent / 100 * count);
    return values[Math.clamp(rank, 1, count) - 1];
  }
}
