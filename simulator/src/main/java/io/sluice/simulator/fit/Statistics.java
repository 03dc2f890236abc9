package io.sluice.simulator.fit;

import java.util.Arrays;
import java.util.Collection;

/** Statistics of a set of values; 0 for an empty set. */
final class Statistics {

  private Statistics() {}

  static double median(Collection<Double> values) {
    return quantile(values, 0.5);
  }

  static double mean(Collection<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElse(0);
  }

  /** Returns a quantile, interpolated linearly between two values. */
  static double quantile(Collection<Double> values, double share) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
    if (sorted.length == 0) {
      return 0;
    }
    Arrays.sort(sorted);
    double at = share * (sorted.length - 1);
    int below = (int) at;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
  }
}
