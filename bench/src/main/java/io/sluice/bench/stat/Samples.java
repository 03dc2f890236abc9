package io.sluice.bench.stat;

import java.util.Arrays;

/** Numbers of which percentiles are asked, by the nearest rank. Not thread-safe. */
public final class Samples {
  private double[] values = new double[256];
  private int count;
  private boolean sorted;

  /** Adds one. */
  public void add(double value) {
    if (count == values.length) {
      values = Arrays.copyOf(values, count * 2);
    }
    values[count++] = value;
    sorted = false;
  }

  /** How many there are. */
  public int count() {
    return count;
  }

  /** The smallest value that at least so many percent are not above; 0 if there are none. */
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
