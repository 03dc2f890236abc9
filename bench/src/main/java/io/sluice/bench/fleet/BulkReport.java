package io.sluice.bench.fleet;

import io.sluice.bench.fleet.BulkWork.Pair;
import io.sluice.bench.report.Report;
import io.sluice.bench.stat.Interval;
import io.sluice.config.TextTable;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/** Runs a {@link BulkWork} with several seeds, and shows the means. */
final class BulkReport {
  private static final String ALONE = "alone";
  private static final String WITH_BULK = "next to bulk";
  private static final String BULK = "bulk";

  private record Figure(String name, String of, ToDoubleFunction<Pair> value) {}

  private static final List<Figure> FIGURES =
      List.of(
          new Figure("TTFT p50, ms", ALONE, pair -> pair.alone().ttftP50Millis()),
          new Figure("TTFT p50, ms", WITH_BULK, pair -> pair.withBulk().ttftP50Millis()),
          new Figure("TTFT p95, ms", ALONE, pair -> pair.alone().ttftP95Millis()),
          new Figure("TTFT p95, ms", WITH_BULK, pair -> pair.withBulk().ttftP95Millis()),
          new Figure("TTFT p95, ratio", WITH_BULK, Pair::ratio),
          new Figure("ITL p99, ms", ALONE, pair -> pair.alone().itlP99Millis()),
          new Figure("ITL p99, ms", WITH_BULK, pair -> pair.withBulk().itlP99Millis()),
          new Figure("refused, %", WITH_BULK, pair -> 100 * pair.withBulk().refused()),
          new Figure("tokens/s meanwhile", BULK, pair -> pair.bulk().tokensPerSecond()),
          new Figure("tokens/s by itself", BULK, pair -> pair.bulkAlone().tokensPerSecond()),
          new Figure("evictions", BULK, pair -> pair.bulk().evictions()),
          new Figure("tokens computed once more", BULK, pair -> pair.bulk().recomputedTokens()),
          new Figure("of all its tokens, %", BULK, pair -> 100 * pair.bulk().recomputedShare()),
          new Figure("requests not answered", BULK, pair -> pair.bulk().unanswered()),
          new Figure(
              "seconds without bulk waiting", BULK, pair -> pair.bulk().secondsUnsaturated()),
          new Figure("highest KV usage, %", BULK, pair -> 100 * pair.bulk().highestKvUsage()));

  private final List<Pair> pairs;

  BulkReport(BulkWork work, int seeds) {
    pairs = LongStream.range(0, seeds).parallel().mapToObj(work::pair).toList();
  }

  TextTable table() {
    TextTable table = new TextTable().left("", "").right("");
    for (Figure figure : FIGURES) {
      double[] runs = pairs.stream().mapToDouble(figure.value()).toArray();
      table.row(figure.name(), figure.of(), Interval.of(runs).text("%.2f"));
    }
    return table;
  }

  void addTo(Report.Group group) {
    FIGURES.forEach(figure -> group.add(figure.name(), figure.of(), pairs, figure.value()));
  }
}
