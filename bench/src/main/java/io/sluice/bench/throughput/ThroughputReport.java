package io.sluice.bench.throughput;

import static java.util.Objects.requireNonNull;

import io.sluice.bench.process.ProcessorTime;
import io.sluice.bench.report.Report;
import io.sluice.config.TextTable;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** What the turns of one way took: medians. */
record ThroughputReport(String way, List<Turn> turns) {
  ThroughputReport {
    turns = List.copyOf(turns);
  }

  String text() {
    String rates =
        String.format(
            Locale.ROOT,
            "%s: %.0f tokens per second (%.0f to %.0f), %.0f bytes of log per token%n",
            way,
            median(Turn::tokensPerSecond),
            turns.stream().mapToDouble(Turn::tokensPerSecond).min().orElse(0),
            turns.stream().mapToDouble(Turn::tokensPerSecond).max().orElse(0),
            median(Turn::bytesPerToken));
    var table = new TextTable().left("us per token").right("all", "compilers", "collections");
    for (String process : processes()) {
      table.row(
          process,
          micros(process, ProcessorTime::all),
          micros(process, ProcessorTime::compiler),
          micros(process, ProcessorTime::collector));
    }
    table.row("sum", String.format(Locale.ROOT, "%.0f", median(ThroughputReport::sum)), "", "");
    return rates + table;
  }

  void addTo(Report report) {
    report
        .group("all ways")
        .add("tokens per second", way, turns, Turn::tokensPerSecond)
        .add("bytes of log per token", way, turns, Turn::bytesPerToken)
        .add("processor time per token, us", way, turns, ThroughputReport::sum);
    for (String process : processes()) {
      report
          .group(way)
          .add(
              "processor time per token, us",
              process,
              turns,
              turn -> micros(turn, process, ProcessorTime::all))
          .add(
              "of which compilers, us",
              process,
              turns,
              turn -> micros(turn, process, ProcessorTime::compiler));
    }
  }

  private List<String> processes() {
    return turns.getFirst().processor().keySet().stream().sorted().toList();
  }

  private String micros(String process, ToLongFunction<ProcessorTime> part) {
    return String.format(Locale.ROOT, "%.1f", median(turn -> micros(turn, process, part)));
  }

  private static double micros(Turn turn, String process, ToLongFunction<ProcessorTime> part) {
    return turn.perToken(part.applyAsLong(requireNonNull(turn.processor().get(process))));
  }

  private static double sum(Turn turn) {
    return turn.processor().values().stream().mapToDouble(t -> turn.perToken(t.all())).sum();
  }

  private double median(ToDoubleFunction<Turn> figure) {
    double[] values = turns.stream().mapToDouble(figure).sorted().toArray();
    return values[(values.length - 1) / 2];
  }
}
