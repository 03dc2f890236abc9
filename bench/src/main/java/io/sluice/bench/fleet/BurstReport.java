package io.sluice.bench.fleet;

import io.sluice.bench.fleet.BurstWork.Result;
import io.sluice.bench.fleet.BurstWork.Scenario;
import io.sluice.bench.report.Report;
import io.sluice.bench.stat.Interval;
import io.sluice.config.TextTable;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Runs all scenarios of a {@link BurstWork} with several seeds, and shows the means as a table. */
final class BurstReport {
  private final Map<Scenario, List<Result>> results = new EnumMap<>(Scenario.class);
  private final double spareShare;

  BurstReport(BurstWork work, int seeds) {
    spareShare = work.spareShare(1);
    for (Scenario scenario : Scenario.values()) {
      results.put(
          scenario,
          LongStream.range(0, seeds)
              .parallel()
              .mapToObj(seed -> work.run(scenario, seed))
              .toList());
    }
  }

  TextTable table() {
    TextTable table =
        new TextTable()
            .left("")
            .right(
                "TTFT p50, ms", "p99, ms", "p99, ratio", "ITL p99, ms", "bulk tokens/s", "of spare")
            .left("jobs end, min");
    for (Scenario scenario : Scenario.values()) {
      boolean isInteractive = scenario != Scenario.JOBS;
      boolean hasJobs = scenario != Scenario.ALONE;
      table.row(
          scenario.label(),
          isInteractive ? shown(scenario, Result::burstP50Millis, 0) : "",
          isInteractive ? shown(scenario, Result::burstP99Millis, 0) : "",
          isInteractive && hasJobs ? Interval.of(ratios(scenario)).text("%.2f") : "",
          isInteractive ? shown(scenario, Result::itlP99Millis, 0) : "",
          hasJobs ? shown(scenario, Result::bulkTokensPerSecond, 0) : "",
          isInteractive && hasJobs
              ? String.format(Locale.ROOT, "%.0f %%", 100 * usedShare(scenario))
              : "",
          hasJobs ? ends(scenario) : "");
    }
    table.line(
        String.format(
            Locale.ROOT,
            "interactive requests leave %.0f %% of the capacity; jobs out of the order of their"
                + " deadlines in %d runs; requests of jobs without an answer: %d; seconds without"
                + " waiting bulk: %d",
            100 * spareShare,
            count(result -> result.isInOrder() ? 0 : 1),
            count(Result::unanswered),
            count(Result::secondsUnsaturated)));
    return table;
  }

  /** Adds the figures of all runs. */
  void addTo(Report.Group group) {
    results.forEach(
        (scenario, runs) -> {
          if (scenario != Scenario.JOBS) {
            group
                .add("TTFT p50, ms", scenario.label(), runs, Result::burstP50Millis)
                .add("TTFT p99, ms", scenario.label(), runs, Result::burstP99Millis)
                .add("TTFT p99, times that alone", scenario.label(), ratios(scenario))
                .add("ITL p99, ms", scenario.label(), runs, Result::itlP99Millis);
          }
          if (scenario != Scenario.ALONE) {
            group.add("bulk tokens/s", scenario.label(), runs, Result::bulkTokensPerSecond);
          }
        });
  }

  private List<Result> of(Scenario scenario) {
    return Objects.requireNonNull(results.get(scenario));
  }

  private Interval interval(Scenario scenario, ToDoubleFunction<Result> figure) {
    return Interval.of(of(scenario).stream().mapToDouble(figure).toArray());
  }

  private double[] ratios(Scenario scenario) {
    List<Result> alone = of(Scenario.ALONE);
    List<Result> withJobs = of(scenario);
    double[] ratios = new double[alone.size()];
    for (int seed = 0; seed < ratios.length; seed++) {
      ratios[seed] = withJobs.get(seed).burstP99Millis() / alone.get(seed).burstP99Millis();
    }
    return ratios;
  }

  /** Returns what the jobs make of the capacity that is left to them. */
  private double usedShare(Scenario scenario) {
    double left = spareShare * interval(Scenario.JOBS, Result::bulkTokensPerSecond).mean();
    return interval(scenario, Result::bulkTokensPerSecond).mean() / left;
  }

  private int count(ToIntFunction<Result> figure) {
    return results.values().stream().flatMap(List::stream).mapToInt(figure).sum();
  }

  private String ends(Scenario scenario) {
    return of(scenario).getFirst().endMinutes().keySet().stream()
        .map(job -> String.format(Locale.ROOT, "%.1f", end(scenario, job)))
        .collect(Collectors.joining(", "));
  }

  private double end(Scenario scenario, Duration job) {
    return interval(scenario, result -> result.endMinutes().getOrDefault(job, Double.NaN)).mean();
  }

  private String shown(Scenario scenario, ToDoubleFunction<Result> figure, int digits) {
    return interval(scenario, figure).text("%." + digits + "f");
  }
}
