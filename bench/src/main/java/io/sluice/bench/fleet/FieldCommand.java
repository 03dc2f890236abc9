package io.sluice.bench.fleet;

import io.sluice.bench.trace.Trace;
import io.sluice.bench.trace.TraceRequest;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.GpuProfile;
import io.sluice.simulator.engine.Timing;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Published figures of engines with and without a pool in front of them, beside our own of the same
 * two set-ups: one simulated GPU that callers send to directly, and the same behind Sluice.
 */
@Command(
    name = "field",
    description = "One simulated GPU with and without Sluice, beside published figures.")
public final class FieldCommand implements Callable<Integer> {
  private static final double REQUESTS_PER_SECOND = 50;
  private static final int USERS = 50;
  private static final int SHARED_PROMPT_TOKENS = Trace.BLOCK_TOKENS;
  private static final int OWN_PROMPT_TOKENS = 64;
  private static final int OUTPUT_TOKENS = 32;
  private static final int MAX_MODEL_LEN = 8_192;
  private static final double TIMEOUT_MILLIS = 10_000;
  private static final long SEED = 1;
  private static final Workload.Length LENGTH =
      new Workload.Length(Duration.ofSeconds(30).toNanos(), Duration.ofMinutes(2).toNanos());

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  private record Figures(
      double ttftP95Millis, double errorPercent, double tokensPerSecond, double usersP95Millis) {}

  @Override
  public Integer call() {
    Trace trace = chat();
    EngineConfig engine = EngineConfig.of(Timing.of(GpuProfile.RTX4090), MAX_MODEL_LEN);
    Figures alone = figures(trace, engine, Contestant.ROUND_ROBIN);
    Figures pooled = figures(trace, engine, Contestant.SLUICE);
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "One rtx4090, 8B; prompts of %d shared and %d own tokens, %d tokens out%n%n",
        SHARED_PROMPT_TOKENS,
        OWN_PROMPT_TOKENS,
        OUTPUT_TOKENS);
    out.printf(
        "%-42s %9s %9s %7s   %9s %9s %7s%n",
        "", "published", "pooled", "ratio", "alone", "Sluice", "ratio");
    row(out, "TTFT p95 at 50 requests/s, ms", 340, 12, alone.ttftP95Millis, pooled.ttftP95Millis);
    row(out, "errors at 50 requests/s, %", 18, 0.4, alone.errorPercent, pooled.errorPercent);
    row(out, "throughput, tokens/s", 45, 280, alone.tokensPerSecond, pooled.tokensPerSecond);
    row(
        out,
        "TTFT p95 of 50 users at once, ms",
        410,
        38,
        alone.usersP95Millis,
        pooled.usersP95Millis);
    out.println();
    out.printf(
        "An error is a refusal, or no token after %.0f s. The ratio is the larger by the smaller%n"
            + "figure, negative where Sluice is the worse one.%n",
        TIMEOUT_MILLIS / 1000);
    out.flush();
    return 0;
  }

  private static void row(
      PrintWriter out, String what, double published, double pooled, double alone, double ours) {
    boolean moreIsBetter = pooled > published;
    out.printf(
        Locale.ROOT,
        "%-42s %9.1f %9.1f %6.1fx   %9.1f %9.1f %7s%n",
        what,
        published,
        pooled,
        ratio(published, pooled),
        alone,
        ours,
        shown(alone, ours, moreIsBetter));
  }

  private static String shown(double alone, double ours, boolean moreIsBetter) {
    if (alone == ours) {
      return "equal";
    }
    if (Math.min(alone, ours) <= 0) {
      return "-";
    }
    boolean isBetter = moreIsBetter == ours > alone;
    return String.format(Locale.ROOT, "%s%.1fx", isBetter ? "" : "-", ratio(alone, ours));
  }

  private static double ratio(double one, double other) {
    return Math.max(one, other) / Math.max(1e-9, Math.min(one, other));
  }

  private static Figures figures(Trace trace, EngineConfig engine, Contestant contestant) {
    List<FleetRequest> requests = Workload.of(trace, REQUESTS_PER_SECOND, LENGTH, SEED);
    FleetRun open = new FleetRun(requests, engine, 1, SEED);
    RunResult result = open.run(contestant.front(open, SEED), LENGTH);
    Scorecard.Answered answered = open.scorecard().answered(TIMEOUT_MILLIS, LENGTH.measuredNanos());
    FleetRun closed = new FleetRun(Workload.inOrder(trace, 4, 40_000, SEED), engine, 1, SEED);
    closed.saturate(contestant.front(closed, SEED), USERS, LENGTH);
    return new Figures(
        result.ttftP95Millis(),
        100 * answered.errorShare(),
        answered.tokensPerSecond(),
        closed.scorecard().startedTtft(95));
  }

  /** Chat turns that arrive independently of each other. */
  private static Trace chat() {
    SplittableRandom random = new SplittableRandom(SEED);
    List<TraceRequest> requests = new ArrayList<>();
    double seconds = 0;
    for (int i = 0; i < 20_000; i++) {
      seconds -= Math.log(1 - random.nextDouble()) / REQUESTS_PER_SECOND;
      requests.add(
          new TraceRequest(
              (long) (seconds * 1e9),
              SHARED_PROMPT_TOKENS + OWN_PROMPT_TOKENS,
              OUTPUT_TOKENS,
              new long[] {0, 1 + i}));
    }
    return new Trace("chat", requests, true);
  }
}
