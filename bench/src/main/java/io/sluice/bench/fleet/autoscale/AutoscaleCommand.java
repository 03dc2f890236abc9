package io.sluice.bench.fleet.autoscale;

import io.sluice.bench.fleet.balancer.EngineCapacity;
import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.TraceEngine;
import io.sluice.bench.report.Report;
import io.sluice.bench.report.ReportFiles;
import io.sluice.bench.report.Runs;
import io.sluice.bench.trace.Trace;
import io.sluice.config.TextTable;
import io.sluice.simulator.engine.EngineConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
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

/** Compares rules by which the number of workers follows the load, in virtual time. */
@Command(
    name = "autoscale",
    description =
        "Compare rules by which the number of workers follows the load of a day, with simulated"
            + " engines and a modelled autoscaler in virtual time.")
public final class AutoscaleCommand implements Callable<Integer> {
  private static final String SMALL = "l4";

  /** The load of the whole fleet at noon, as a share of what it can do. */
  private static final double NOON = 0.8;

  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  /** By how much a plan may miss more than the full fleet. */
  private static final double TOLERATED = 0.01;

  private static final double[] UTILIZATIONS = {1, 0.9, 0.8, 0.7, 0.6};

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description =
          "Traces whose requests make the day: .csv as Azure publishes them, .jsonl as Mooncake"
              + " does. Default: a synthetic one.")
  private List<Path> traces = List.of();

  @Option(names = "--seeds", paramLabel = "N", description = "Days of each kind. Default: 5.")
  private int seeds = 5;

  @Option(names = "--hours", paramLabel = "N", description = "Length of a day. Default: 3.")
  private double hours = 3;

  @Option(
      names = "--workers",
      paramLabel = "N",
      description = "The maximum number of workers. Default: 6.")
  private int most = 6;

  @Option(
      names = "--start",
      paramLabel = "N",
      description = "Minutes until a started worker is ready. Default: 3.")
  private double startMinutes = 3;

  @Option(
      names = "--profile",
      paramLabel = "GPU",
      description =
          "Profile of the engines. Default: l4, or h100 if the trace needs a context above 16k.")
  private Optional<String> profile = Optional.empty();

  @Option(
      names = "--tokens",
      paramLabel = "N",
      description =
          "Open tokens for which there is one worker. Default: as many as its KV cache holds.")
  private Optional<Long> tokens = Optional.empty();

  @Mixin private ReportFiles files = new ReportFiles();

  @Override
  public Integer call() throws IOException {
    if (seeds < 1 || hours <= 0 || most < 1 || startMinutes < 0) {
      throw new ParameterException(
          spec.commandLine(), "--seeds, --hours and --workers must be more than 0");
    }
    List<Trace> all = new ArrayList<>();
    for (Path file : traces) {
      all.add(Trace.read(file));
    }
    var report = new Report();
    (all.isEmpty() ? List.of(ScaledDay.synthetic()) : all)
        .forEach(each -> compare(each, report.group(each.name())));
    files.write(report);
    return 0;
  }

  private void compare(Trace trace, Report.Group group) {
    EngineConfig engine = TraceEngine.of(trace, profile, SMALL, spec.commandLine());
    double capacity = EngineCapacity.of(trace, engine, 1);
    long perWorker = tokens.orElse((long) engine.kvBlocks() * engine.blockTokens());
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%n%s on %s: an engine can do %.2f requests/s; a day of %.1f h, up to %d workers that start"
            + " in %.1f min, one for %d open tokens; %d seeds%n",
        trace.name(),
        engine.timing().profile().wireName(),
        capacity,
        hours,
        most,
        startMinutes,
        perWorker,
        seeds);
    out.flush();
    List<Map<ScalingRule, ScalingRun.Result>> days =
        LongStream.range(0, seeds)
            .parallel()
            .mapToObj(seed -> day(trace, engine, capacity, perWorker, seed))
            .toList();
    print(out, days);
    for (ScalingRule rule : ScalingRule.values()) {
      group
          .add("missed, %", rule.label(), days, day -> 100 * of(day, rule).missed())
          .add("GPU hours", rule.label(), days, day -> of(day, rule).gpuHours())
          .add("reversals", rule.label(), days, day -> of(day, rule).reversals())
          .add("TTFT p95, ms", rule.label(), days, day -> of(day, rule).ttftP95Millis());
    }
  }

  private Map<ScalingRule, ScalingRun.Result> day(
      Trace trace, EngineConfig engine, double capacity, long perWorker, long seed) {
    Duration length = minutes(hours * 60);
    List<FleetRequest> requests = ScaledDay.of(trace, NOON * most * capacity, length, seed);
    double tokensPerRequest =
        trace.requests().stream().mapToInt(request -> request.contextTokens()).average().orElse(1);
    Map<ScalingRule, ScalingRun.Result> results = new EnumMap<>(ScalingRule.class);
    ScalingPlan[] plans =
        Arrays.stream(UTILIZATIONS)
            .mapToObj(
                utilization ->
                    ScalingPlan.of(
                        requests,
                        length.toNanos(),
                        capacity * tokensPerRequest,
                        utilization,
                        most,
                        minutes(startMinutes)))
            .toArray(ScalingPlan[]::new);
    var run =
        new ScalingRun(
            requests,
            length.toNanos(),
            engine,
            perWorker,
            plans[0].replicas(0, Duration.ZERO),
            minutes(startMinutes),
            TIMEOUT,
            behavior(),
            seed);
    ScalingRun.Result full = run.full();
    results.put(ScalingRule.FULL, full);
    for (ScalingPlan plan : plans) {
      ScalingRun.Result planned = run.plan(plan);
      results.put(ScalingRule.PLAN, planned);
      if (planned.missed() <= full.missed() + TOLERATED) {
        break;
      }
    }
    for (ScalingRule rule :
        List.of(ScalingRule.TOKENS, ScalingRule.RUNNING, ScalingRule.KV_USAGE)) {
      results.put(rule, run.follow(rule));
    }
    return results;
  }

  /** As in {@code k8s/components/keda/scaled-object.yaml}. */
  private ReplicaController.Behavior behavior() {
    return new ReplicaController.Behavior(
        most,
        Duration.ofMinutes(15),
        new ReplicaController.Policy(2, Duration.ofMinutes(1)),
        new ReplicaController.Policy(1, Duration.ofMinutes(3)),
        Duration.ofMinutes(15));
  }

  private static void print(PrintWriter out, List<Map<ScalingRule, ScalingRun.Result>> days) {
    TextTable table =
        new TextTable()
            .left("")
            .right(
                "missed %",
                "than full", "GPU hours", "x clairvoyant", "reversals", "at most", "TTFT p95 ms");
    for (ScalingRule rule : ScalingRule.values()) {
      table.row(
          rule.label(),
          number(2, median(days, day -> 100 * of(day, rule).missed())),
          String.format(
              Locale.ROOT,
              "%+.2f",
              median(
                  days,
                  day -> 100 * (of(day, rule).missed() - of(day, ScalingRule.FULL).missed()))),
          number(2, median(days, day -> of(day, rule).gpuHours())),
          number(
              2,
              median(days, day -> of(day, rule).gpuHours() / of(day, ScalingRule.PLAN).gpuHours())),
          number(2, median(days, day -> of(day, rule).reversals())),
          number(0, median(days, day -> of(day, rule).mostReversals())),
          number(0, median(days, day -> of(day, rule).ttftP95Millis())));
    }
    out.print(table);
    out.flush();
  }

  private static ScalingRun.Result of(Map<ScalingRule, ScalingRun.Result> day, ScalingRule rule) {
    return Objects.requireNonNull(day.get(rule));
  }

  private static double median(
      List<Map<ScalingRule, ScalingRun.Result>> days,
      ToDoubleFunction<Map<ScalingRule, ScalingRun.Result>> figure) {
    return Runs.of(days, figure).median();
  }

  private static String number(int decimals, double value) {
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }

  private static Duration minutes(double minutes) {
    return Duration.ofMillis(Math.round(minutes * 60_000));
  }
}
