package io.sluice.bench.fleet.fairness;

import io.sluice.bench.fleet.fairness.TenantRun.Share;
import io.sluice.bench.fleet.fairness.TenantRun.Way;
import io.sluice.bench.fleet.run.RandomRequests.Usual;
import io.sluice.bench.fleet.run.TraceEngine;
import io.sluice.bench.fleet.run.Workload;
import io.sluice.bench.report.Report;
import io.sluice.bench.report.ReportFiles;
import io.sluice.bench.stat.Interval;
import io.sluice.config.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures how evenly tenants share a fleet, and what a flood does to a modest tenant. */
@Command(
    name = "fairness",
    description =
        "Let tenants with short and with long prompts compete for a fleet, and one tenant flood"
            + " it next to another, in virtual time.")
public final class FairnessCommand implements Callable<Integer> {

  /** Of short prompts, and of prompts that are ten times as long. */
  private static final Usual SHORT = new Usual(300, 150, false);

  private static final Usual LONG = new Usual(3_000, 150, false);

  private static final int TENANTS_OF_A_KIND = 2;
  private static final double MODEST = 0.2;

  /** One that leaves room, one that just fills the fleet, and ten times as much. */
  private static final List<Double> NEIGHBOURS = List.of(0.5, 0.8, 8.0);

  private static final String VICTIM = "victim";
  private static final Duration WARM_UP = Duration.ofMinutes(1);

  /** A figure of the shares of a run. */
  private record Column(String name, String format, ToDoubleFunction<List<Share>> value) {
    /** Returns the mean of the runs; a dash if one of them has no such figure. */
    String text(List<List<Share>> runs) {
      double[] values = runs.stream().mapToDouble(value).toArray();
      return Arrays.stream(values).anyMatch(Double::isNaN) ? "-" : Interval.of(values).text(format);
    }
  }

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Option(names = "--seeds", paramLabel = "N", description = "Runs of each kind. Default: 5.")
  private int seeds = 5;

  @Option(names = "--engines", paramLabel = "N", description = "Number of engines. Default: 4.")
  private int engines = 4;

  @Option(
      names = "--profile",
      paramLabel = "GPU",
      description = "Profile of the engines. Default: rtx4090.")
  private String profile = "rtx4090";

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "Minutes of measured traffic. Default: 2.")
  private double minutes = 2;

  @Mixin private ReportFiles files = new ReportFiles();

  @Override
  public Integer call() throws IOException {
    if (seeds < 1 || engines < 1 || minutes <= 0) {
      throw new ParameterException(
          spec.commandLine(), "--seeds, --engines and --minutes must be more than 0");
    }
    TenantRun run =
        new TenantRun(
            TraceEngine.named(profile, spec.commandLine()),
            engines,
            new Workload.Length(WARM_UP.toNanos(), Math.round(minutes * 60e9)));
    PrintWriter out = spec.commandLine().getOut();
    out.printf(Locale.ROOT, "%d x %s; %d seeds, %.1f min%n%n", engines, profile, seeds, minutes);
    var report = new Report();
    compare(
        "%d tenants with prompts of about %d tokens and %d of about %d, each with a load of 1.0"
            .formatted(
                TENANTS_OF_A_KIND, SHORT.promptTokens(), TENANTS_OF_A_KIND, LONG.promptTokens()),
        List.of(
            new Column("Jain index", "%.3f", FairnessCommand::jain),
            new Column(
                "short, tok/s",
                "%.0f",
                those -> perTenant(those.stream().limit(TENANTS_OF_A_KIND))),
            new Column(
                "long, tok/s", "%.0f", those -> perTenant(those.stream().skip(TENANTS_OF_A_KIND))),
            new Column("unanswered %", "%.1f", FairnessCommand::unanswered)),
        (way, seed) -> run.run(way, skewed(), seed),
        report);
    List<Column> neighbours = new ArrayList<>();
    for (int i = 0; i < NEIGHBOURS.size(); i++) {
      int at = i;
      neighbours.add(
          new Column(
              "next to %.1f".formatted(NEIGHBOURS.get(i)),
              "%.0f",
              those -> those.get(at).ttftP95Millis()));
    }
    neighbours.add(
        new Column("unanswered %", "%.1f", those -> unanswered(List.of(those.getLast()))));
    compare(
        String.format(
            Locale.ROOT,
            "TTFT p95 in ms of a tenant with a load of %.1f next to one with another load",
            MODEST),
        neighbours,
        (way, seed) ->
            NEIGHBOURS.stream().map(neighbour -> victim(run, way, neighbour, seed)).toList(),
        report);
    files.write(report);
    return 0;
  }

  /** Prints a row for each way, and adds the figures to the report. */
  private void compare(
      String condition,
      List<Column> columns,
      BiFunction<Way, Long, List<Share>> shares,
      Report report) {
    TextTable table =
        new TextTable().left("").right(columns.stream().map(Column::name).toArray(String[]::new));
    for (Way way : Way.values()) {
      List<List<Share>> runs =
          LongStream.range(0, seeds).parallel().mapToObj(seed -> shares.apply(way, seed)).toList();
      table.row(way.label(), columns.stream().map(column -> column.text(runs)));
      columns.forEach(
          column -> report.group(condition).add(column.name(), way.label(), runs, column.value()));
    }
    PrintWriter out = spec.commandLine().getOut();
    out.printf("%s%n%s%n", condition, table);
    out.flush();
  }

  /** Every tenant sends as much as the whole fleet could answer of its requests. */
  private static List<TenantLoad> skewed() {
    return Stream.of(SHORT, LONG)
        .flatMap(
            usual ->
                IntStream.range(0, TENANTS_OF_A_KIND)
                    .mapToObj(i -> new TenantLoad(name(usual, i), usual, 1)))
        .toList();
  }

  private static Share victim(TenantRun run, Way way, double neighbour, long seed) {
    List<TenantLoad> loads =
        List.of(
            new TenantLoad(VICTIM, SHORT, MODEST), new TenantLoad("neighbour", SHORT, neighbour));
    return run.run(way, loads, seed).getFirst();
  }

  private static String name(Usual usual, int number) {
    return "%d-%d".formatted(usual.promptTokens(), number);
  }

  /** Jain's index of the tenants' tokens: 1 if all have the same, 1/n if one has all. */
  private static double jain(List<Share> shares) {
    double sum = 0;
    double squares = 0;
    for (Share share : shares) {
      sum += share.answeredTokens();
      squares += (double) share.answeredTokens() * share.answeredTokens();
    }
    return sum * sum / (shares.size() * squares);
  }

  private double perTenant(Stream<Share> shares) {
    return shares.mapToLong(Share::answeredTokens).average().orElse(0) / (minutes * 60);
  }

  private static double unanswered(List<Share> shares) {
    double offered = shares.stream().mapToInt(Share::offered).sum();
    return 100 * shares.stream().mapToInt(Share::unanswered).sum() / Math.max(1, offered);
  }
}
