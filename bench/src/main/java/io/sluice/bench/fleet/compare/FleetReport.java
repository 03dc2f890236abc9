package io.sluice.bench.fleet.compare;

import io.sluice.bench.fleet.run.RunResult;
import io.sluice.bench.fleet.run.Uninformed;
import io.sluice.bench.report.Report;
import io.sluice.config.TextTable;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** Prints cells as tables: the means over the seeds with half the width of their 95 % intervals. */
final class FleetReport {
  private final PrintWriter out;
  private final boolean hasFailures;

  /**
   * A report.
   *
   * @param hasFailures whether engines failed, and what that did is shown
   */
  FleetReport(PrintWriter out, boolean hasFailures) {
    this.out = out;
    this.hasFailures = hasFailures;
  }

  void print(Cell cell) {
    out.printf("%n%s%n", cell.condition());
    TextTable table =
        new TextTable()
            .left("")
            .right("TTFT p50 ms", "p95", "p99", "ITL p99 ms", "goodput %", "hits %", "preempted")
            .right("refused%", "late%", "slow%");
    if (hasFailures) {
      table.right("lost%", "resumed%", "max gap ms");
    }
    cell.runs().keySet().forEach(contestant -> row(table, cell, contestant));
    out.print(table);
    cell.bestTuned()
        .ifPresent(best -> out.printf("best limit in hindsight, by goodput: %s%n", best.label()));
    printUninformed(cell);
    if (cell.runs().containsKey(Contestant.SLUICE)) {
      for (Cell.Measure measure : Cell.Measure.values()) {
        printVerdicts(cell, measure);
      }
    }
    out.flush();
  }

  /** Adds the figures that tell contestants apart, of all runs. */
  static void add(Report.Group group, Cell cell) {
    cell.runs()
        .forEach(
            (contestant, runs) ->
                group
                    .add("goodput, %", contestant.label(), runs, run -> 100 * run.goodput())
                    .add("refused, %", contestant.label(), runs, run -> 100 * run.refused())
                    .add("TTFT p50, ms", contestant.label(), runs, RunResult::ttftP50Millis)
                    .add("TTFT p95, ms", contestant.label(), runs, RunResult::ttftP95Millis)
                    .add("ITL p99, ms", contestant.label(), runs, RunResult::itlP99Millis)
                    .add("hits, %", contestant.label(), runs, run -> 100 * run.hitRate()));
  }

  private void row(TextTable table, Cell cell, Contestant contestant) {
    List<String> cells =
        List.of(
            both(cell, contestant, RunResult::ttftP50Millis, "%.0f"),
            both(cell, contestant, RunResult::ttftP95Millis, "%.0f"),
            both(cell, contestant, RunResult::ttftP99Millis, "%.0f"),
            both(cell, contestant, RunResult::itlP99Millis, "%.0f"),
            both(cell, contestant, run -> 100 * run.goodput(), "%.1f"),
            mean(cell, contestant, run -> 100 * run.hitRate()),
            mean(cell, contestant, RunResult::preemptions),
            mean(cell, contestant, run -> 100 * run.refused()),
            mean(cell, contestant, run -> 100 * run.late()),
            mean(cell, contestant, run -> 100 * run.slow()));
    List<String> failures =
        List.of(
            mean(cell, contestant, run -> 100 * run.lost()),
            mean(cell, contestant, run -> 100 * run.resumed()),
            mean(cell, contestant, RunResult::longestGapMillis));
    table.row(
        contestant.label(),
        Stream.concat(cells.stream(), hasFailures ? failures.stream() : Stream.of()));
  }

  private void printUninformed(Cell cell) {
    List<String> shares =
        cell.runs().keySet().stream()
            .filter(contestant -> !Double.isNaN(uninformed(cell, contestant, Uninformed::after)))
            .map(
                contestant ->
                    String.format(
                        Locale.ROOT,
                        "%s %.2f, %.2f",
                        contestant.label(),
                        uninformed(cell, contestant, Uninformed::before),
                        uninformed(cell, contestant, Uninformed::after)))
            .toList();
    if (!shares.isEmpty()) {
      out.printf(
          "chosen without knowledge of a cached prefix, before and after the kill, %%: %s%n",
          String.join("; ", shares));
    }
  }

  private static double uninformed(
      Cell cell, Contestant contestant, ToDoubleFunction<Uninformed> share) {
    return cell.interval(contestant, run -> 100 * share.applyAsDouble(run.uninformed())).mean();
  }

  private void printVerdicts(Cell cell, Cell.Measure measure) {
    out.printf("sluice, %s:", measure.label());
    for (Cell.Verdict verdict : Cell.Verdict.values()) {
      List<String> others =
          cell.runs().keySet().stream()
              .filter(other -> !other.equals(Contestant.SLUICE))
              .filter(other -> cell.verdict(other, measure) == verdict)
              .map(Contestant::label)
              .toList();
      if (!others.isEmpty()) {
        out.printf("  %s %s", words(verdict), String.join(", ", others));
      }
    }
    out.println();
  }

  private static String words(Cell.Verdict verdict) {
    return switch (verdict) {
      case LEADS -> "leads";
      case WITHIN_INTERVAL -> "is within the interval of";
      case LOSES -> "LOSES to";
      case INCOMPARABLE -> "is not compared, as they refuse another share, with";
    };
  }

  private static String both(
      Cell cell, Contestant contestant, ToDoubleFunction<RunResult> figure, String format) {
    return cell.interval(contestant, figure).text(format);
  }

  private static String mean(Cell cell, Contestant contestant, ToDoubleFunction<RunResult> figure) {
    return String.format(Locale.ROOT, "%.1f", cell.interval(contestant, figure).mean());
  }
}
