package io.sluice.bench.load;

import io.sluice.bench.report.Report;
import io.sluice.bench.report.Runs;
import io.sluice.config.TextTable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The turns of all servers under one load. */
record LoadReport(double perSecond, Map<String, List<Turn>> turns) {
  private record Figure(String name, String format, ToDoubleFunction<Turn> value) {}

  private static final List<Figure> FIGURES =
      List.of(
          new Figure("goodput %", "%.1f", Turn::goodputPercent),
          new Figure("in time/s", "%.1f", Turn::goodput),
          new Figure("TTFT p50", "%.0f", turn -> turn.ttftMillis(50)),
          new Figure("p95", "%.0f", turn -> turn.ttftMillis(95)),
          new Figure("p99", "%.0f", turn -> turn.ttftMillis(99)),
          new Figure("TPOT p50", "%.1f", turn -> turn.tpotMillis(50)),
          new Figure("refused %", "%.1f", Turn::refusedPercent),
          new Figure("failed %", "%.1f", Turn::failedPercent),
          new Figure("tokens/s", "%.0f", Turn::tokensPerSecond));

  /** Medians of the turns. */
  String text() {
    TextTable table =
        new TextTable().left("").right(FIGURES.stream().map(Figure::name).toArray(String[]::new));
    turns.forEach((server, its) -> table.row(server, FIGURES.stream().map(one -> shown(one, its))));
    return condition() + System.lineSeparator() + table;
  }

  void addTo(Report report) {
    turns.forEach(
        (server, its) ->
            report
                .group(condition())
                .add("goodput, %", server, its, Turn::goodputPercent)
                .add("answers in time per second", server, its, Turn::goodput)
                .add("TTFT p50, ms", server, its, turn -> turn.ttftMillis(50))
                .add("TTFT p99, ms", server, its, turn -> turn.ttftMillis(99))
                .add("time per further token p50, ms", server, its, turn -> turn.tpotMillis(50))
                .add("time per further token p99, ms", server, its, turn -> turn.tpotMillis(99))
                .add("refused, %", server, its, Turn::refusedPercent)
                .add("failed, %", server, its, Turn::failedPercent)
                .add("tokens per second", server, its, Turn::tokensPerSecond));
  }

  private String condition() {
    return String.format(Locale.ROOT, "%.1f requests per second", perSecond);
  }

  private static String shown(Figure figure, List<Turn> turns) {
    double median = Runs.of(turns, figure.value()).median();
    return Double.isInfinite(median) ? "-" : String.format(Locale.ROOT, figure.format(), median);
  }
}
