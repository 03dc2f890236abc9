package io.sluice.bench.failover;

import io.sluice.bench.report.Report;
import io.sluice.config.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What clients noticed of each failure, over all rounds. */
record FailoverReport(List<Row> rows) {
  /**
   * A failure.
   *
   * @param name of the failure
   * @param hit the longest gaps of the streams on the victim
   * @param others the longest gaps of the other streams
   * @param first the times to the first token of short requests soon after
   * @param problems of all requests
   * @param lost how often clients had to go to another gateway
   * @param whole the times until the pool was whole again
   */
  record Row(
      String name,
      Figures hit,
      Figures others,
      Figures first,
      List<String> problems,
      int lost,
      Figures whole) {
    Row {
      problems = List.copyOf(problems);
    }
  }

  FailoverReport {
    rows = List.copyOf(rows);
  }

  static FailoverReport of(List<Turn> turns) {
    Map<Failure, List<Turn>> byFailure = new LinkedHashMap<>();
    turns.forEach(
        turn -> byFailure.computeIfAbsent(turn.failure(), any -> new ArrayList<>()).add(turn));
    return new FailoverReport(
        byFailure.entrySet().stream().map(one -> row(one.getKey(), one.getValue())).toList());
  }

  private static Row row(Failure failure, List<Turn> turns) {
    return new Row(
        failure.label(),
        Figures.of(turns.stream().map(Turn::hitGaps).toList()),
        Figures.of(turns.stream().map(Turn::otherGaps).toList()),
        Figures.of(turns.stream().map(Turn::firstTokens).toList()),
        turns.stream().flatMap(turn -> turn.problems().stream()).toList(),
        turns.stream().mapToInt(Turn::lost).sum(),
        Figures.of(turns.stream().map(turn -> turn.whole().stream().boxed().toList()).toList()));
  }

  Stream<String> problems() {
    return rows.stream()
        .flatMap(row -> row.problems().stream().map(what -> row.name() + ": " + what));
  }

  /** Returns the table as it is printed. */
  String text() {
    var table =
        new TextTable()
            .left("ms")
            .right(
                "hit",
                "gap p50",
                "of a round",
                "longest",
                "others",
                "p50",
                "longest",
                "short",
                "p50",
                "p99",
                "longest",
                "failed",
                "lost",
                "whole",
                "longest");
    for (Row row : rows) {
      table.row(
          row.name(),
          row.hit().count(),
          row.hit().p50Text(),
          row.hit().spread(),
          row.hit().longestText(),
          row.others().count(),
          row.others().p50Text(),
          row.others().longestText(),
          row.first().count(),
          row.first().p50Text(),
          row.first().p99Text(),
          row.first().longestText(),
          row.problems().size(),
          row.lost(),
          row.whole().p50Text(),
          row.whole().longestText());
    }
    return table.toString();
  }

  /** Returns the medians of the rounds; everything else as its details. */
  Report report() {
    var report = new Report().details(rows);
    for (Row row : rows) {
      report
          .group("medians of rounds, ms")
          .add("longest gap of the streams on the victim", row.name(), row.hit().runs())
          .add("longest gap of the other streams", row.name(), row.others().runs())
          .add("first token of requests soon after", row.name(), row.first().runs())
          .add("until the pool is whole", row.name(), row.whole().runs());
    }
    return report;
  }
}
