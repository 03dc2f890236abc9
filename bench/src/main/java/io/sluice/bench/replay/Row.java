package io.sluice.bench.replay;

import java.util.Locale;

/** A row of the table. */
enum Row {
  REQUESTS("requests", Unit.COUNT),
  TTFT_P50("TTFT p50", Unit.MILLIS),
  TTFT_P95("TTFT p95", Unit.MILLIS),
  TTFT_P99("TTFT p99", Unit.MILLIS),
  WAIT_P95("wait for a worker, p95", Unit.MILLIS),
  WITHIN_SLO("first token within SLO", Unit.SHARE),
  PREFIX_HITS("prefix hits", Unit.SHARE),
  REFUSED("refused", Unit.COUNT),
  FAILED("failed", Unit.COUNT);

  private final String label;
  private final Unit unit;

  private enum Unit {
    COUNT,
    MILLIS,
    SHARE
  }

  Row(String label, Unit unit) {
    this.label = label;
    this.unit = unit;
  }

  String label() {
    return label;
  }

  /** Returns the name in JSON. */
  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns a figure of this row. */
  String shown(double value) {
    return switch (unit) {
      case COUNT ->
          String.format(Locale.ROOT, value == Math.rint(value) ? "%,.0f" : "%,.1f", value);
      case MILLIS -> String.format(Locale.ROOT, "%,.0f ms", value);
      case SHARE -> String.format(Locale.ROOT, "%.1f %%", 100 * value);
    };
  }

  /** Returns by how much a figure of this row is off from another. */
  String shownDifference(double value, double from) {
    double difference = value - from;
    return switch (unit) {
      case COUNT ->
          String.format(
              Locale.ROOT, difference == Math.rint(difference) ? "%+,.0f" : "%+,.1f", difference);
      case MILLIS -> {
        String share = String.format(Locale.ROOT, " (%+.0f %%)", 100 * difference / from);
        yield String.format(Locale.ROOT, "%+,.0f ms", difference) + (from > 0 ? share : "");
      }
      case SHARE -> String.format(Locale.ROOT, "%+.1f points", 100 * difference);
    };
  }
}
