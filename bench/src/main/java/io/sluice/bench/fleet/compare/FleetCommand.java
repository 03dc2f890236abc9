package io.sluice.bench.fleet.compare;

import io.sluice.bench.fleet.run.EngineFailures;
import io.sluice.bench.fleet.run.StepLimits;
import io.sluice.bench.fleet.run.TraceEngine;
import io.sluice.bench.fleet.run.Workload;
import io.sluice.bench.report.Report;
import io.sluice.bench.report.ReportFiles;
import io.sluice.bench.trace.Trace;
import io.sluice.bench.trace.generated.GeneratedTraces;
import io.sluice.cli.DurationConverter;
import io.sluice.simulator.engine.EngineConfig;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Compares Sluice with other ways to distribute requests, on a trace in virtual time. */
@Command(
    name = "fleet",
    description =
        "Compare Sluice with load balancers on a trace, with simulated engines in"
            + " virtual time.")
public final class FleetCommand implements Callable<Integer> {
  private static final String SMALL = "rtx4090";

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // required
  @Option(
      names = "--trace",
      required = true,
      paramLabel = "TRACE",
      description =
          "A trace: a file, .csv as Azure publishes them or .jsonl as Mooncake does, or a generated"
              + " one: ${COMPLETION-CANDIDATES}.",
      completionCandidates = GeneratedNames.class)
  private String trace;

  @Option(
      names = "--engines",
      split = ",",
      paramLabel = "N",
      description = "Fleet sizes. Default: 8,64.")
  private List<Integer> engines = List.of(8, 64);

  @Option(
      names = "--load",
      split = ",",
      paramLabel = "X",
      description = "Loads as shares of the fleet's measured capacity. Default: 0.5,0.9,1.2.")
  private List<Double> loads = List.of(0.5, 0.9, 1.2);

  @Option(names = "--seeds", paramLabel = "N", description = "Runs of each kind. Default: 10.")
  private int seeds = 10;

  @Option(
      names = "--policies",
      split = ",",
      paramLabel = "NAME",
      description = "${COMPLETION-CANDIDATES}. Default: all, with seven limits of maxconn.",
      completionCandidates = PolicyNames.class)
  private List<String> policies = Contestant.all().stream().map(Contestant::label).toList();

  @Option(
      names = "--profile",
      split = ",",
      paramLabel = "GPU",
      description =
          "Profiles, which the engines have in turn. Default: rtx4090, or h100 if the trace needs a"
              + " context above 16k.")
  private List<String> profiles = List.of();

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "Minutes of measured traffic per run. Default: 2.")
  private double minutes = 2;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      description = "Minutes of traffic before it is measured, to fill the caches. Default: 1.")
  private double warmUp = 1;

  @Option(
      names = "--failures",
      paramLabel = "N",
      description =
          "Engines of each fleet that fail, once, at random times of the measured period, which are"
              + " the same for all contestants. Default: 0.")
  private int failures;

  @Option(
      names = "--failures-kind",
      paramLabel = "KIND",
      description =
          "What fails: engine, its process, or machine, with all of its processes. Default:"
              + " engine.")
  private EngineFailures.Kind failuresKind = EngineFailures.NONE.kind();

  @Option(
      names = "--restart-after",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "The time from a failure until the engine takes requests again, with an empty cache."
              + " Default: 60s.")
  private Duration restartAfter = EngineFailures.NONE.restartAfter();

  @Mixin private StepLimits stepLimits = new StepLimits();

  private static final class PolicyNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Contestant.names().iterator();
    }
  }

  private static final class GeneratedNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return GeneratedTraces.names().stream().map(GeneratedTraces.PREFIX::concat).iterator();
    }
  }

  @Mixin private ReportFiles files = new ReportFiles();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (seeds < 1 || minutes <= 0 || warmUp < 0 || engines.stream().anyMatch(n -> n < 1)) {
      throw new ParameterException(
          spec.commandLine(),
          "--seeds, --minutes and --engines must be more than 0, --warm-up at least 0");
    }
    if (loads.stream().anyMatch(load -> load <= 0)) {
      throw new ParameterException(spec.commandLine(), "--load must be more than 0");
    }
    if (failures < 0 || engines.stream().anyMatch(n -> n < failures)) {
      throw new ParameterException(
          spec.commandLine(), "--failures must be at least 0 and at most the --engines");
    }
    Experiment experiment = experiment();
    Matrix matrix = new Matrix(experiment, contestants(), seeds, this::show);
    PrintWriter out = spec.commandLine().getOut();
    Capacity capacity = matrix.capacity();
    out.printf(
        Locale.ROOT,
        "%s on %s: an engine can do %s requests/s; %d seeds, %.1f min measured after %.1f"
            + " min of warm-up%n",
        experiment.trace().name(),
        String.join(", ", experiment.profiles()),
        capacity,
        seeds,
        minutes,
        warmUp);
    if (failures > 0) {
      out.printf(
          "%d of the engines %s (%s), and %s back after %d s%n",
          failures,
          failures == 1 ? "fails" : "fail",
          failuresKind.name().toLowerCase(Locale.ROOT),
          failures == 1 ? "is" : "are",
          restartAfter.toSeconds());
    }
    out.flush();
    List<Cell> cells = matrix.run(engines, loads, capacity);
    clearProgress();
    cells.forEach(new FleetReport(out, failures > 0)::print);
    files.write(figures(cells).details(FleetJson.of(experiment, capacity, cells)));
    return 0;
  }

  private static Report figures(List<Cell> cells) {
    var report = new Report();
    cells.forEach(cell -> FleetReport.add(report.group(cell.condition()), cell));
    return report;
  }

  private Experiment experiment() throws IOException {
    Trace requests = trace();
    var length = new Workload.Length(nanos(warmUp), nanos(minutes));
    return new Experiment(
        requests,
        engines(requests),
        length,
        new EngineFailures(failures, failuresKind, restartAfter));
  }

  private List<EngineConfig> engines(Trace requests) {
    return TraceEngine.of(requests, profiles, SMALL, spec.commandLine()).stream()
        .map(stepLimits::of)
        .toList();
  }

  private Trace trace() throws IOException {
    if (!trace.startsWith(GeneratedTraces.PREFIX)) {
      return Trace.read(Path.of(trace));
    }
    try {
      return GeneratedTraces.named(trace.substring(GeneratedTraces.PREFIX.length()));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private static long nanos(double inMinutes) {
    return Math.round(inMinutes * Duration.ofMinutes(1).toNanos());
  }

  private List<Contestant> contestants() {
    try {
      return policies.stream().map(Contestant::named).toList();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
  }

  private void show(int runs, int ofRuns) {
    if (isTerminal()) {
      System.err.printf("\r%d of %d runs", runs, ofRuns);
    }
  }

  private void clearProgress() {
    if (isTerminal()) {
      System.err.print("\r                              \r");
    }
  }

  @SuppressWarnings("SystemConsoleNull") // a run-time image without a line editor has none
  private static boolean isTerminal() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }
}
