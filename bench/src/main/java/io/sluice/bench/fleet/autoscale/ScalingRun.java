package io.sluice.bench.fleet.autoscale;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.Mix;
import io.sluice.bench.fleet.sluice.FrontSettings;
import io.sluice.bench.fleet.sluice.SluiceFront;
import io.sluice.simulator.engine.EngineConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One day of requests on a fleet whose size follows a rule.
 *
 * @param tokensPerWorker the target of {@link ScalingRule#TOKENS}
 * @param warm the workers that are ready at the start
 * @param start the time from the start of a pod until its worker takes requests
 * @param timeout after which an answer is no longer wanted
 */
record ScalingRun(
    List<FleetRequest> requests,
    long lengthNanos,
    EngineConfig engine,
    double tokensPerWorker,
    int warm,
    Duration start,
    Duration timeout,
    ReplicaController.Behavior behavior,
    long seed) {
  /** The sync period of the HorizontalPodAutoscaler. */
  private static final Duration SYNC = Duration.ofSeconds(15);

  private static final Duration WINDOW = Duration.ofMinutes(10);

  /**
   * What came out.
   *
   * @param missed the share of the requests that were not answered in time
   * @param reversals the changes of direction per ten minutes
   * @param mostReversals the highest number of them in any ten minutes
   */
  record Result(
      double missed, double gpuHours, double reversals, int mostReversals, double ttftP95Millis) {}

  /** Decides on the number of workers. */
  private interface Scaler {
    int next(long nowNanos, int current);
  }

  /** Follows a metric. */
  Result follow(ScalingRule rule) {
    var controller = new ReplicaController(behavior);
    FleetRun run = new FleetRun(requests, engine, warm, seed);
    SluiceFront front = front(run);
    return run(
        run,
        front,
        (now, current) -> controller.next(now, current, rule.workers(front, tokensPerWorker)));
  }

  /** Has all workers at all times. */
  Result full() {
    FleetRun run = new FleetRun(requests, engine, behavior.most(), seed);
    return run(run, front(run), (now, current) -> behavior.most());
  }

  /** Follows a plan. */
  Result plan(ScalingPlan plan) {
    FleetRun run = new FleetRun(requests, engine, plan.replicas(0, Duration.ZERO), seed);
    return run(run, front(run), (now, current) -> plan.replicas(now, start));
  }

  private SluiceFront front(FleetRun run) {
    return new SluiceFront(run, Mix.of(seed, 7), FrontSettings.STANDARD.withTimeout(timeout));
  }

  private Result run(FleetRun run, SluiceFront front, Scaler scaler) {
    var fleet = new ScaledFleet(run, front, front.workers(), start);
    List<Long> reversals = new ArrayList<>();
    int[] direction = {0};
    long[] nextSync = {0};
    run.runToEnd(
        front,
        Duration.ofNanos(lengthNanos),
        Duration.ofNanos(lengthNanos).plus(timeout).plus(timeout),
        () -> {
          long now = run.time().nowNanos();
          if (now > lengthNanos) {
            return;
          }
          fleet.count();
          if (now >= nextSync[0]) {
            nextSync[0] += SYNC.toNanos();
            int before = fleet.replicas();
            int after = scaler.next(now, before);
            fleet.scaleTo(after);
            int turned = Integer.signum(after - before);
            if (turned != 0) {
              if (turned == -direction[0]) {
                reversals.add(now);
              }
              direction[0] = turned;
            }
          }
        });
    return new Result(
        run.scorecard().missedShare(timeout),
        fleet.gpuHours(),
        (double) reversals.size() * WINDOW.toNanos() / lengthNanos,
        mostWithin(reversals),
        run.scorecard().startedTtft(95));
  }

  private static int mostWithin(List<Long> times) {
    int most = 0;
    for (int i = 0; i < times.size(); i++) {
      long end = times.get(i) + WINDOW.toNanos();
      most = Math.max(most, (int) times.stream().skip(i).takeWhile(time -> time < end).count());
    }
    return most;
  }
}
