package io.sluice.bench.fleet;

import io.sluice.bench.fleet.run.TraceEngine;
import io.sluice.bench.stat.Interval;
import io.sluice.cli.TextTable;
import io.sluice.simulator.engine.EngineConfig;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs interactive requests alone and together with a saturating bulk job, in virtual time. */
@Command(
    name = "bulk",
    description =
        "Runs interactive requests with and without a saturating bulk job, in virtual time.")
public final class BulkCommand implements Callable<Integer> {
  private static final Duration PERIOD = Duration.ofSeconds(90);
  private static final String FIGURES = "%-30s %12.2f%s";

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Option(names = "--seeds", paramLabel = "N", description = "Runs of each kind. Default: 10.")
  private int seeds = 10;

  @Option(names = "--engines", paramLabel = "N", description = "Number of engines. Default: 4.")
  private int engines = 4;

  @Option(
      names = "--profile",
      paramLabel = "GPU",
      description = "Profile of the engines. Default: h100.")
  private String profile = "h100";

  @Option(
      names = "--rate",
      split = ",",
      paramLabel = "X",
      description = "Interactive requests per second and engine. Default: 2,5.")
  private List<Double> rates = List.of(2.0, 5.0);

  @Option(
      names = "--bulk",
      paramLabel = "N",
      description = "Bulk requests per engine. Default: 2000, which take longer than the others.")
  private int bulkPerEngine = 2_000;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "Minutes of measured traffic. Default: 2.")
  private double minutes = 2;

  @Option(
      names = "--bursts",
      split = ",",
      arity = "1",
      paramLabel = "X,Y",
      description =
          "Instead of a steady rate: interactive requests per second of all engines together in"
              + " bursts of 45 s, and in the 45 s between them; with jobs of several deadlines.")
  private List<Double> bursts = List.of();

  @Override
  public Integer call() {
    if (seeds < 1 || engines < 1 || bulkPerEngine < 1 || minutes <= 0) {
      throw new ParameterException(
          spec.commandLine(), "--seeds, --engines, --bulk and --minutes must be more than 0");
    }
    if (!bursts.isEmpty() && (bursts.size() != 2 || bursts.stream().anyMatch(rate -> rate <= 0))) {
      throw new ParameterException(
          spec.commandLine(), "--bursts needs two rates that are more than 0, such as 15,1");
    }
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%d x %s, 8B; prompts of about %d tokens, bulk %d; answers of about %d, bulk %d; %d seeds,"
            + " %.1f min%n",
        engines,
        profile,
        BulkWork.PROMPT_TOKENS,
        BulkWork.BULK_PROMPT_TOKENS,
        BulkWork.OUTPUT_TOKENS,
        BulkWork.BULK_OUTPUT_TOKENS,
        seeds,
        minutes);
    Duration measured = Duration.ofMillis(Math.round(minutes * 60_000));
    EngineConfig engine = TraceEngine.named(profile, spec.commandLine());
    if (bursts.isEmpty()) {
      rates.forEach(
          rate -> print(out, rate, new BulkWork(engine, engines, rate, bulkPerEngine, measured)));
    } else {
      var pattern = new BurstWork.Bursts(bursts.getFirst(), bursts.getLast(), PERIOD);
      var work = new BurstWork(engine, engines, pattern, bulkPerEngine, measured);
      out.print(new BurstReport(work, seeds).table());
      out.flush();
    }
    return 0;
  }

  private void print(PrintWriter out, double rate, BulkWork work) {
    List<BulkWork.Pair> pairs = LongStream.range(0, seeds).parallel().mapToObj(work::pair).toList();
    TextTable table = new TextTable(FIGURES);
    table.line("").line(String.format(Locale.ROOT, "%.1f interactive requests/s per engine", rate));
    row(table, "TTFT p50 alone, ms", pairs, pair -> pair.alone().ttftP50Millis());
    row(table, "TTFT p50 beside bulk, ms", pairs, pair -> pair.beside().ttftP50Millis());
    row(table, "TTFT p95 alone, ms", pairs, pair -> pair.alone().ttftP95Millis());
    row(table, "TTFT p95 beside bulk, ms", pairs, pair -> pair.beside().ttftP95Millis());
    row(table, "TTFT p95, ratio", pairs, BulkWork.Pair::ratio);
    row(table, "ITL p99 alone, ms", pairs, pair -> pair.alone().itlP99Millis());
    row(table, "ITL p99 beside bulk, ms", pairs, pair -> pair.beside().itlP99Millis());
    row(table, "refused beside bulk, %", pairs, pair -> 100 * pair.beside().refused());
    row(table, "bulk tokens/s meanwhile", pairs, pair -> pair.bulk().tokensPerSecond());
    row(table, "bulk tokens/s by itself", pairs, pair -> pair.bulkAlone().tokensPerSecond());
    row(table, "evictions", pairs, pair -> pair.bulk().evictions());
    row(table, "tokens computed once more", pairs, pair -> pair.bulk().recomputedTokens());
    row(table, "share of all bulk tokens, %", pairs, pair -> 100 * pair.bulk().recomputedShare());
    row(table, "bulk requests not answered", pairs, pair -> pair.bulk().unanswered());
    row(table, "seconds without bulk waiting", pairs, pair -> pair.bulk().secondsUnsaturated());
    row(table, "highest KV usage, %", pairs, pair -> 100 * pair.bulk().highestKvUsage());
    out.print(table);
    out.flush();
  }

  private static void row(
      TextTable table,
      String what,
      List<BulkWork.Pair> pairs,
      ToDoubleFunction<BulkWork.Pair> figure) {
    Interval interval = Interval.of(pairs.stream().mapToDouble(figure).toArray());
    String half =
        Double.isInfinite(interval.half())
            ? ""
            : String.format(Locale.ROOT, " ±%.2f", interval.half());
    table.row(what, interval.mean(), half);
  }
}
