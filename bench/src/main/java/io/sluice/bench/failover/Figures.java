package io.sluice.bench.failover;

import io.sluice.bench.stat.Samples;
import java.util.ArrayList;
import java.util.List;

/**
 * Percentiles of times of several rounds, in milliseconds.
 *
 * @param medians of the rounds that have any, from the lowest to the highest
 */
record Figures(int count, double p50, double p99, double longest, List<Double> medians) {
  Figures {
    medians = List.copyOf(medians);
  }

  /** Returns the figures of the times of each round; all 0 if there are none. */
  static Figures of(List<List<Double>> rounds) {
    var all = new Samples();
    List<Double> medians = new ArrayList<>();
    for (List<Double> round : rounds) {
      var its = new Samples();
      round.forEach(its::add);
      round.forEach(all::add);
      if (!round.isEmpty()) {
        medians.add(its.percentile(50));
      }
    }
    return new Figures(
        all.count(),
        all.percentile(50),
        all.percentile(99),
        all.percentile(100),
        medians.stream().sorted().toList());
  }

  /** Returns the lowest and the highest median of a round. */
  String spread() {
    return count == 0 ? "-" : text(medians.getFirst()) + "-" + text(medians.getLast());
  }

  String p50Text() {
    return count == 0 ? "-" : text(p50);
  }

  String p99Text() {
    return count == 0 ? "-" : text(p99);
  }

  String longestText() {
    return count == 0 ? "-" : text(longest);
  }

  /** Returns the medians of the rounds; none if there are none. */
  double[] runs() {
    return medians.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private static String text(double millis) {
    return Long.toString(Math.round(millis));
  }
}
