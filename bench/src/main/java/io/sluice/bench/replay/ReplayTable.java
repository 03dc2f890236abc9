package io.sluice.bench.replay;

import io.sluice.config.TextTable;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** The comparison as text. */
final class ReplayTable {
  private static final String UNKNOWN = "-";

  /** A greater loss of prefix hits than this is unlikely to come from the model alone. */
  private static final double COLD = 0.03;

  private ReplayTable() {}

  static String of(ReplayComparison comparison) {
    List<Figures> columns =
        Stream.concat(
                Stream.of(comparison.recorded(), comparison.model()), comparison.whatIf().stream())
            .toList();
    var figures = new TextTable().left("").right("recorded", "model");
    comparison.whatIf().ifPresent(any -> figures.right("what-if"));
    for (Row row : Row.values()) {
      figures.row(row.label(), columns.stream().map(column -> shown(row, column.of(row))));
    }
    var table = new TextTable().left("", "");
    table.line("Error of the model, against what was recorded:");
    for (Row row : Row.values()) {
      difference(row, comparison).ifPresent(text -> table.row("  " + row.label(), text));
    }
    ModelError error = comparison.error();
    table.line(
        error.requests() == 0
            ? "  No request has both a recorded and a modelled TTFT."
            : String.format(
                Locale.ROOT,
                "  The TTFT of a single request is off by %,.0f ms (median), %,.0f ms (p95), over %,d requests.",
                error.medianMillis(),
                error.p95Millis(),
                error.requests()));
    if (isCold(comparison)) {
      table.line(
          "  The model finds fewer prefixes in its caches: a longer --warm-up may fill them.");
    }
    return figures + System.lineSeparator() + table;
  }

  private static boolean isCold(ReplayComparison comparison) {
    OptionalDouble recorded = comparison.recorded().of(Row.PREFIX_HITS);
    OptionalDouble model = comparison.model().of(Row.PREFIX_HITS);
    return recorded.orElse(0) - model.orElse(1) > COLD;
  }

  private static String shown(Row row, OptionalDouble value) {
    return value.isPresent() ? row.shown(value.getAsDouble()) : UNKNOWN;
  }

  private static Optional<String> difference(Row row, ReplayComparison comparison) {
    OptionalDouble recorded = comparison.recorded().of(row);
    OptionalDouble model = comparison.model().of(row);
    return row == Row.REQUESTS || recorded.isEmpty() || model.isEmpty()
        ? Optional.empty()
        : Optional.of(row.shownDifference(model.getAsDouble(), recorded.getAsDouble()));
  }
}
