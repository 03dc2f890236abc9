package io.sluice.bench.fleet;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.Mix;
import io.sluice.bench.fleet.run.RandomRequests;
import io.sluice.bench.fleet.run.RandomRequests.Usual;
import io.sluice.bench.fleet.run.RunResult;
import io.sluice.bench.fleet.run.Workload;
import io.sluice.bench.fleet.sluice.BulkFlow;
import io.sluice.bench.fleet.sluice.FrontSettings;
import io.sluice.bench.fleet.sluice.SluiceFront;
import io.sluice.simulator.engine.EngineConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * An interactive load, alone and together with a bulk job whose requests all wait from the start.
 *
 * @param ratePerEngine interactive requests per second and engine, which arrive at random
 * @param bulkPerEngine how many requests the job has per engine
 */
record BulkWork(
    EngineConfig engine, int engines, double ratePerEngine, int bulkPerEngine, Duration measured) {
  static final int PROMPT_TOKENS = 600;
  static final int OUTPUT_TOKENS = 200;
  static final int BULK_PROMPT_TOKENS = 1_000;
  static final int BULK_OUTPUT_TOKENS = 300;

  static final Usual INTERACTIVE = new Usual(PROMPT_TOKENS, OUTPUT_TOKENS, false);
  static final Usual BULK = new Usual(BULK_PROMPT_TOKENS, BULK_OUTPUT_TOKENS, true);
  private static final Duration WARM_UP = Duration.ofSeconds(30);

  /** The default deadline of bulk requests. */
  private static final Duration DEADLINE = Duration.ofHours(24);

  /**
   * The result of the job.
   *
   * @param tokensPerSecond output tokens in the measured time
   * @param recomputedTokens tokens of prompts and kept answers that were computed again
   * @param recomputedShare their share of all prompt and output tokens of the job
   * @param unanswered requests without an answer at their deadline
   * @param secondsUnsaturated seconds of the measured time in which no bulk request was parked
   */
  record Bulk(
      double tokensPerSecond,
      int evictions,
      long recomputedTokens,
      double recomputedShare,
      int unanswered,
      int secondsUnsaturated,
      double highestKvUsage) {}

  /** Runs the same load without and with the job, and the job alone. */
  record Pair(RunResult alone, RunResult withBulk, Bulk bulk, Bulk bulkAlone) {
    double ratio() {
      return withBulk.ttftP95Millis() / alone.ttftP95Millis();
    }
  }

  private record Both(RunResult interactive, Bulk bulk) {}

  Pair pair(long seed) {
    List<FleetRequest> interactive = interactive(seed);
    Both withBulk = run(and(interactive, seed), seed);
    return new Pair(
        run(interactive, seed).interactive(),
        withBulk.interactive(),
        withBulk.bulk(),
        run(and(List.of(), seed), seed).bulk());
  }

  private Workload.Length length() {
    return new Workload.Length(WARM_UP.toNanos(), measured.toNanos());
  }

  private Both run(List<FleetRequest> requests, long seed) {
    FleetRun run = new FleetRun(requests, engine, engines, seed);
    SluiceFront front = new SluiceFront(run, Mix.of(seed, 7), FrontSettings.STANDARD);
    BulkFlow bulk = front.bulk();
    long total = length().totalNanos();
    long[] tokens = new long[2];
    run.time().at(WARM_UP.toNanos(), () -> tokens[0] = bulk.outputTokens());
    run.time().at(total, () -> tokens[1] = bulk.outputTokens());
    int[] unsaturated = {0};
    double[] highest = {0};
    run.runToEnd(
        front,
        Duration.ofNanos(total + 1),
        DEADLINE,
        () -> {
          boolean isMeasured = run.time().nowNanos() > WARM_UP.toNanos();
          unsaturated[0] +=
              isMeasured && run.time().nowNanos() <= total && bulk.backlog() == 0 ? 1 : 0;
          run.engines().forEach(node -> highest[0] = Math.max(highest[0], node.stats().kvUsage()));
        });
    long all =
        requests.stream()
            .filter(FleetRequest::bulk)
            .mapToLong(request -> request.promptTokens() + request.outputTokens())
            .sum();
    return new Both(
        run.scorecard().result(run.time().nowNanos(), measured.toNanos()),
        new Bulk(
            (tokens[1] - tokens[0]) * 1e9 / measured.toNanos(),
            bulk.evictions(),
            bulk.recomputedTokens(),
            bulk.recomputedTokens() / Math.max(1.0, (double) all),
            run.scorecard().unfinished(FleetRequest::bulk),
            unsaturated[0],
            highest[0]));
  }

  private List<FleetRequest> interactive(long seed) {
    RandomRequests random = new RandomRequests(seed);
    List<FleetRequest> requests = new ArrayList<>();
    double nanos = 0;
    while (nanos < length().totalNanos()) {
      nanos += random.gapNanos(ratePerEngine * engines);
      boolean isMeasured = nanos >= WARM_UP.toNanos();
      requests.add(random.next(requests.size(), (long) nanos, INTERACTIVE, isMeasured));
    }
    return requests;
  }

  private List<FleetRequest> and(List<FleetRequest> interactive, long seed) {
    RandomRequests random = new RandomRequests(Mix.of(seed, 3));
    List<FleetRequest> all = new ArrayList<>(interactive);
    for (int i = 0; i < bulkPerEngine * engines; i++) {
      all.add(random.next(all.size(), 0, BULK, false));
    }
    return all;
  }
}
