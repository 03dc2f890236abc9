package io.sluice.bench.fleet;

import io.sluice.bench.fleet.balancer.Balancers;
import io.sluice.bench.fleet.balancer.Proxy;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.RunResult;
import io.sluice.bench.fleet.run.Scorecard;
import io.sluice.bench.fleet.run.Workload;
import io.sluice.bench.fleet.sluice.FrontSettings;
import io.sluice.bench.fleet.sluice.SluiceFront;
import io.sluice.bench.report.Report;
import io.sluice.bench.report.ReportFiles;
import io.sluice.bench.stat.Interval;
import io.sluice.config.TextTable;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Compares published figures of a static set-up and of a pool with our own figures of both, for the
 * same engines and load: with one engine for each service, and with all engines shared by Sluice.
 */
@Command(
    name = "field",
    description =
        "Compare engines tied to services with the same engines as a pool, next to published"
            + " figures.")
public final class FieldCommand implements Callable<Integer> {
  private static final int ENGINES = 4;
  private static final double REQUESTS_PER_SECOND = 50;
  private static final int USERS = 50;

  /** More requests than a user can send in the time. */
  private static final int REQUESTS_PER_USER = 1_000;

  /**
   * With the first length the engines are half busy; with the second one service overloads its
   * engine.
   */
  private static final List<Integer> OUTPUT_TOKENS = List.of(64, 96);

  private static final int MAX_MODEL_LEN = 8_192;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Below the callers' time-out, so that they get an error instead of timing out. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(8);

  private static final Workload.Length LENGTH =
      new Workload.Length(Duration.ofSeconds(30).toNanos(), Duration.ofMinutes(2).toNanos());

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Option(names = "--seeds", paramLabel = "N", description = "Runs of each kind. Default: 10.")
  private int seeds = 10;

  private enum SetUp {
    STATIC,
    LEAST_REQUESTS,
    SLUICE;

    FleetRun.Front front(FleetRun run, long seed) {
      int engines = run.engines().size();
      return switch (this) {
        case STATIC -> new Proxy(run, Services.owned(engines), TIMEOUT);
        case LEAST_REQUESTS -> new Proxy(run, new Balancers.LeastRequests(engines), TIMEOUT);
        case SLUICE -> new SluiceFront(run, seed, FrontSettings.waiting(MAX_WAIT));
      };
    }
  }

  private record Open(RunResult result, Scorecard.Answered answered) {}

  private record Figures(Open all, double usersP95Millis, Open two) {}

  /**
   * A figure of which there are published ones.
   *
   * @param published with engines that are tied to services
   * @param pooled with the pool of those who published it
   */
  private record Compared(
      String name, double published, double pooled, ToDoubleFunction<Figures> value) {}

  private static final List<Compared> COMPARED =
      List.of(
          new Compared(
              "TTFT p95 at 50 requests/s, ms", 340, 12, f -> f.all().result().ttftP95Millis()),
          new Compared(
              "errors at 50 requests/s, %", 18, 0.4, f -> 100 * f.all().answered().errorShare()),
          new Compared("throughput, tokens/s", 45, 280, f -> f.all().answered().tokensPerSecond()),
          new Compared("TTFT p95 of 50 users at once, ms", 410, 38, Figures::usersP95Millis),
          new Compared(
              "two GPUs, 25 requests/s: TTFT p50, ms",
              180,
              45,
              f -> f.two().result().ttftP50Millis()),
          new Compared(
              "two GPUs, 25 requests/s: TTFT p99, ms",
              820,
              120,
              f -> f.two().result().ttftP99Millis()));

  @Mixin private ReportFiles files = new ReportFiles();

  @Override
  public Integer call() throws IOException {
    if (seeds < 1) {
      throw new ParameterException(spec.commandLine(), "--seeds must be more than 0");
    }
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "%d x rtx4090, 8B; services with shares of %s; prompts of %d shared and about %d own"
            + " tokens%n",
        ENGINES, Services.SHARES, Services.SHARED_PROMPT_TOKENS, Services.OWN_PROMPT_TOKENS);
    var report = new Report();
    for (int outputTokens : OUTPUT_TOKENS) {
      print(out, outputTokens, report.group("about %d tokens out".formatted(outputTokens)));
    }
    files.write(report);
    return 0;
  }

  private void print(PrintWriter out, int outputTokens, Report.Group group) {
    out.printf(
        Locale.ROOT,
        "%nabout %d tokens out, of which the engines together can do %.1f requests/s; %d seeds%n",
        outputTokens,
        capacity(outputTokens),
        seeds);
    out.flush();
    Map<SetUp, List<Figures>> runs = new EnumMap<>(SetUp.class);
    for (SetUp setUp : SetUp.values()) {
      runs.put(setUp, figures(setUp, outputTokens));
    }
    TextTable table =
        new TextTable()
            .left("")
            .right("published", "pooled", "ratio", "static", "least-requests", "Sluice", "ratio");
    for (Compared compared : COMPARED) {
      row(table, compared, runs);
      runs.forEach(
          (setUp, ofSeeds) ->
              group.add(
                  compared.name(),
                  setUp.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                  ofSeeds,
                  compared.value()));
    }
    out.print(table);
    out.flush();
  }

  /**
   * Returns the capacity of the engines in requests per second, each with as many requests in
   * flight as it takes.
   */
  private static double capacity(int outputTokens) {
    FleetRun run =
        new FleetRun(
            new Services(outputTokens, -1).ofUsers(ENGINES * 256, 100), engine(), ENGINES, -1);
    return run.saturate(SetUp.LEAST_REQUESTS.front(run, -1), ENGINES * 256, LENGTH);
  }

  private List<Figures> figures(SetUp setUp, int outputTokens) {
    return LongStream.range(0, seeds)
        .parallel()
        .mapToObj(seed -> figures(setUp, outputTokens, seed))
        .toList();
  }

  private static Figures figures(SetUp setUp, int outputTokens, long seed) {
    FleetRun users =
        new FleetRun(
            new Services(outputTokens, seed).ofUsers(USERS, REQUESTS_PER_USER),
            engine(),
            ENGINES,
            seed);
    users.serve(setUp.front(users, seed), USERS, LENGTH);
    return new Figures(
        open(setUp, outputTokens, ENGINES, REQUESTS_PER_SECOND, seed),
        users.scorecard().startedTtft(95),
        open(setUp, outputTokens, ENGINES / 2, REQUESTS_PER_SECOND / 2, seed));
  }

  private static Open open(SetUp setUp, int outputTokens, int engines, double rate, long seed) {
    FleetRun run =
        new FleetRun(
            new Services(outputTokens, seed).independent(rate, LENGTH), engine(), engines, seed);
    RunResult result = run.run(setUp.front(run, seed), LENGTH, TIMEOUT);
    return new Open(
        result, run.scorecard().answered((double) TIMEOUT.toMillis(), LENGTH.measuredNanos()));
  }

  private static EngineConfig engine() {
    return EngineConfig.of(Timing.of(GpuProfile.RTX4090), MAX_MODEL_LEN);
  }

  private static void row(TextTable table, Compared compared, Map<SetUp, List<Figures>> runs) {
    Map<SetUp, Interval> ours = new EnumMap<>(SetUp.class);
    runs.forEach(
        (setUp, ofSeeds) ->
            ours.put(setUp, Interval.of(ofSeeds.stream().mapToDouble(compared.value()).toArray())));
    Interval tied = Objects.requireNonNull(ours.get(SetUp.STATIC));
    Interval sluice = Objects.requireNonNull(ours.get(SetUp.SLUICE));
    double published = compared.published();
    double pooled = compared.pooled();
    table.row(
        compared.name(),
        oneDecimal(published),
        oneDecimal(pooled),
        oneDecimal(ratio(published, pooled)) + "x",
        tied.text("%.1f"),
        Objects.requireNonNull(ours.get(SetUp.LEAST_REQUESTS)).text("%.1f"),
        sluice.text("%.1f"),
        compared(tied.mean(), sluice.mean(), pooled > published));
  }

  private static String oneDecimal(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  /** Returns the larger figure divided by the smaller one; negative if ours is worse. */
  private static String compared(double fixed, double ours, boolean moreIsBetter) {
    if (Math.min(fixed, ours) <= 0) {
      return "-";
    }
    boolean isWorse = fixed != ours && moreIsBetter != ours > fixed;
    return (isWorse ? "-" : "") + oneDecimal(ratio(fixed, ours)) + "x";
  }

  private static double ratio(double one, double other) {
    return Math.max(one, other) / Math.min(one, other);
  }
}
