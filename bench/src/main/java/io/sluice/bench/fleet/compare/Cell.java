package io.sluice.bench.fleet.compare;

import io.sluice.bench.fleet.run.RunResult;
import io.sluice.bench.stat.Interval;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * All runs with the same load and fleet size.
 *
 * @param load offered requests as a share of the fleet's measured capacity
 * @param runs by contestant, in the order of the seeds
 */
record Cell(
    int engines, double load, double requestsPerSecond, Map<Contestant, List<RunResult>> runs) {

  /** A figure by which contestants are compared, and whether more of it is better. */
  enum Measure {
    GOODPUT("goodput", true),
    TTFT_P95("TTFT p95", false);

    private final String label;
    private final boolean moreIsBetter;

    Measure(String label, boolean moreIsBetter) {
      this.label = label;
      this.moreIsBetter = moreIsBetter;
    }

    double of(RunResult run) {
      return switch (this) {
        case GOODPUT -> run.goodput();
        case TTFT_P95 -> run.ttftP95Millis();
      };
    }

    String label() {
      return label;
    }
  }

  /** How Sluice compares with another contestant. */
  enum Verdict {
    LEADS,
    WITHIN_INTERVAL,
    LOSES,
    /** Times of requests that were not refused say little if another share was refused. */
    INCOMPARABLE
  }

  private static final double EQUAL_REFUSALS = 0.01;

  /** Returns the fleet and its load, for readers. */
  String condition() {
    return String.format(
        Locale.ROOT, "%d engines, load %.2f: %.1f requests/s", engines, load, requestsPerSecond);
  }

  /**
   * Returns the one with the best goodput of those that differ in a limit; empty if there is none.
   */
  Optional<Contestant> bestTuned() {
    return runs.keySet().stream()
        .filter(Contestant::isTuned)
        .max(Comparator.comparingDouble(tuned -> interval(tuned, RunResult::goodput).mean()));
  }

  /** Returns the mean of a figure over the seeds, with its interval. */
  Interval interval(Contestant contestant, ToDoubleFunction<RunResult> figure) {
    return Interval.of(values(contestant, figure));
  }

  /** Sluice's figure minus the other's, seed by seed. */
  Interval difference(Contestant other, Measure measure) {
    return Interval.ofDifferences(
        values(Contestant.SLUICE, measure::of), values(other, measure::of));
  }

  Verdict verdict(Contestant other, Measure measure) {
    double refusedMore =
        interval(Contestant.SLUICE, RunResult::refused).mean()
            - interval(other, RunResult::refused).mean();
    if (measure == Measure.TTFT_P95 && Math.abs(refusedMore) > EQUAL_REFUSALS) {
      return Verdict.INCOMPARABLE;
    }
    Interval difference = difference(other, measure);
    if (measure.moreIsBetter ? difference.isPositive() : difference.isNegative()) {
      return Verdict.LEADS;
    }
    return (measure.moreIsBetter ? difference.isNegative() : difference.isPositive())
        ? Verdict.LOSES
        : Verdict.WITHIN_INTERVAL;
  }

  private double[] values(Contestant contestant, ToDoubleFunction<RunResult> figure) {
    return runs.getOrDefault(contestant, List.of()).stream().mapToDouble(figure).toArray();
  }
}
