package io.sluice.bench.failover;

import io.sluice.bench.stat.Samples;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Percentiles of times of several rounds, in milliseconds.
 *
 * @param lowestMedian of the rounds
 * @param highestMedian of the rounds
 */
record Figures(
    int count, double p50, double p99, double longest, double lowestMedian, double highestMedian) {

  /** The figures of the times of each round; all 0 if there are none. */
  static Figures of(List<List<Double>> rounds) {
    var all = new Samples();
    var medians = new Samples();
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
        medians.percentile(0),
        medians.percentile(100));
  }

  /** The lowest and the highest median of a round. */
  String spread() {
    return count == 0 ? "-" : text(lowestMedian) + "-" + text(highestMedian);
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

  private static String text(double millis) {
    return Long.toString(Math.round(millis));
  }

  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("count", count);
    json.put("p50", p50);
    json.put("p99", p99);
    json.put("longest", longest);
    json.put("lowest_median", lowestMedian);
    json.put("highest_median", highestMedian);
    return json;
  }
}
