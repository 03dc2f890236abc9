package io.sluice.bench.fleet;

import io.sluice.bench.trace.Trace;
import io.sluice.simulator.engine.EngineConfig;
import java.time.Duration;
import java.util.List;

/**
 * A trace on one kind of engine.
 *
 * @param length how long the traffic of a run is
 */
record Experiment(Trace trace, EngineConfig engine, Workload.Length length) {
  private static final int CALIBRATION_ENGINES = 8;
  private static final Workload.Length CALIBRATION =
      new Workload.Length(Duration.ofSeconds(60).toNanos(), Duration.ofSeconds(240).toNanos());

  /** More than an engine can run at once, so that no engine is ever idle. */
  private static final int UNDER_WAY = 64;

  /** More requests than an engine can finish in the time. */
  private static final int REQUESTS_PER_ENGINE_SECOND = 20;

  /**
   * Measures the capacity of one engine: the requests per second that a saturated fleet of eight
   * finishes under least-requests, divided by eight.
   */
  double capacityPerEngine(long seed) {
    int count =
        (int)
            (CALIBRATION.totalNanos()
                / Duration.ofSeconds(1).toNanos()
                * REQUESTS_PER_ENGINE_SECOND
                * CALIBRATION_ENGINES);
    List<FleetRequest> requests = Workload.inOrder(trace, CALIBRATION_ENGINES, count, seed);
    FleetRun run = new FleetRun(requests, engine, CALIBRATION_ENGINES, seed);
    return run.saturate(
            Contestant.LEAST_REQUESTS.front(run, seed),
            CALIBRATION_ENGINES * UNDER_WAY,
            CALIBRATION)
        / CALIBRATION_ENGINES;
  }

  /** Makes one run. Equal arguments give equal arrivals for all contestants. */
  RunResult run(Contestant contestant, int engines, double requestsPerSecond, long seed) {
    List<FleetRequest> requests = Workload.of(trace, requestsPerSecond, length, seed);
    FleetRun run = new FleetRun(requests, engine, engines, seed);
    return run.run(contestant.front(run, seed), length);
  }
}
