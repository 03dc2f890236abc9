package io.sluice.bench.fleet;

import io.sluice.bench.fleet.balancer.EngineCapacity;
import io.sluice.bench.fleet.run.RunResult;
import io.sluice.bench.fleet.run.TraceEngine;
import io.sluice.bench.report.Report;
import io.sluice.bench.report.ReportFiles;
import io.sluice.bench.stat.Interval;
import io.sluice.bench.stat.Samples;
import io.sluice.bench.trace.Trace;
import io.sluice.config.TextTable;
import io.sluice.simulator.engine.EngineConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Compares ways to let a restarted engine in, on a recorded trace in virtual time. */
@Command(
    name = "restart",
    description =
        "Restart an engine of a fleet under load, in virtual time, and compare ways to let it in:"
            + " at once, with a warm-up, with a ramp of its limit.")
public final class RestartCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // required
  @Option(
      names = "--trace",
      required = true,
      paramLabel = "FILE",
      description = "A trace: .csv as Azure publishes them, .jsonl as Mooncake does.")
  private Path trace;

  @Option(names = "--engines", paramLabel = "N", description = "Fleet size. Default: 4.")
  private int engines = 4;

  @Option(
      names = "--load",
      split = ",",
      paramLabel = "X",
      description = "Loads as shares of the fleet's measured capacity. Default: 0.5,0.7.")
  private List<Double> loads = List.of(0.5, 0.7);

  @Option(names = "--seeds", paramLabel = "N", description = "Runs of each kind. Default: 5.")
  private int seeds = 5;

  @Option(
      names = "--cold-millis",
      paramLabel = "MS",
      description =
          "How long the new engine takes longer at its first prompt of each length, by powers of"
              + " two. Default: 500.")
  private long coldMillis = 500;

  @Mixin private ReportFiles files = new ReportFiles();

  @Override
  public Integer call() throws IOException {
    if (seeds < 1 || engines < 2 || coldMillis < 0 || loads.stream().anyMatch(load -> load <= 0)) {
      throw new ParameterException(
          spec.commandLine(),
          "--seeds and --load must be more than 0, --engines at least 2, --cold-millis at least 0");
    }
    Trace recorded = Trace.read(trace);
    EngineConfig engine =
        TraceEngine.of(recorded, Optional.empty(), TraceEngine.LARGE, spec.commandLine());
    double capacity = EngineCapacity.of(recorded, engine, 1);
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%s on %d %s: one engine restarts; the minute after it answers again; %d seeds, %d ms more"
            + " at the first prompt of each length%n",
        recorded.name(),
        engines,
        TraceEngine.LARGE,
        seeds,
        coldMillis);
    var report = new Report();
    for (double load : loads) {
      double rate = capacity * engines * load;
      Report.Group group = report.group(String.format(Locale.ROOT, "load %.2f", load));
      show(load, new EngineReturn(recorded, engine, engines, rate, cold()), group);
    }
    files.write(report);
    return 0;
  }

  private Duration cold() {
    return Duration.ofMillis(coldMillis);
  }

  private void show(double load, EngineReturn returns, Report.Group group) {
    TextTable table =
        new TextTable()
            .left("entry")
            .right("TTFT p50 ms", "TTFT p95 ms", "TTFT p99 ms", "goodput", "p95 less at-once");
    List<RunResult> atOnce = runs(returns, EngineReturn.Entry.AT_ONCE);
    for (EngineReturn.Entry entry : EngineReturn.Entry.values()) {
      List<RunResult> runs = entry == EngineReturn.Entry.AT_ONCE ? atOnce : runs(returns, entry);
      String name = entry.name().toLowerCase(Locale.ROOT).replace('_', '-');
      table.row(
          name,
          median(runs, RunResult::ttftP50Millis, "%.0f"),
          median(runs, RunResult::ttftP95Millis, "%.0f"),
          median(runs, RunResult::ttftP99Millis, "%.0f"),
          median(runs, RunResult::goodput, "%.3f"),
          difference(runs, atOnce));
      group
          .add("TTFT p50, ms", name, runs, RunResult::ttftP50Millis)
          .add("TTFT p95, ms", name, runs, RunResult::ttftP95Millis)
          .add("goodput", name, runs, RunResult::goodput);
    }
    PrintWriter out = spec.commandLine().getOut();
    out.printf(Locale.ROOT, "%nload %.2f%n%s", load, table);
    out.flush();
  }

  private List<RunResult> runs(EngineReturn returns, EngineReturn.Entry entry) {
    return LongStream.rangeClosed(1, seeds).mapToObj(seed -> returns.run(entry, seed)).toList();
  }

  private static String median(
      List<RunResult> runs, ToDoubleFunction<RunResult> figure, String format) {
    Samples samples = new Samples();
    runs.forEach(run -> samples.add(figure.applyAsDouble(run)));
    return String.format(Locale.ROOT, format, samples.percentile(50));
  }

  /** Of the TTFT p95, seed by seed. */
  private static String difference(List<RunResult> runs, List<RunResult> atOnce) {
    Interval interval =
        Interval.ofDifferences(
            runs.stream().mapToDouble(RunResult::ttftP95Millis).toArray(),
            atOnce.stream().mapToDouble(RunResult::ttftP95Millis).toArray());
    return String.format(Locale.ROOT, "%+.0f ± %.0f", interval.mean(), interval.half());
  }
}
