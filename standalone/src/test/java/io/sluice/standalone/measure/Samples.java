package io.sluice.standalone.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** Durations, or other figures, in the order in which they were recorded. Thread-safe. */
final class Samples {
  private final List<Double> values = new ArrayList<>();

  static Samples of(Collection<Double> values) {
    Samples samples = new Samples();
    samples.values.addAll(values);
    return samples;
  }

  synchronized void add(double value) {
    values.add(value);
  }

  synchronized void addMillis(long nanos) {
    values.add(nanos / 1e6);
  }

  synchronized void addAll(Samples other) {
    values.addAll(other.values);
  }

  synchronized int count() {
    return values.size();
  }

  double median() {
    return quantile(0.5);
  }

  /**
   * Returns the smallest value that is at least as large as this share of all values; NaN if there
   * is none.
   */
  synchronized double quantile(double share) {
    if (values.isEmpty()) {
      return Double.NaN;
    }
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    int rank = (int) Math.ceil(share * sorted.length);
    return sorted[Math.clamp(rank - 1, 0, sorted.length - 1)];
  }
}
