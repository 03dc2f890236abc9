package io.sluice.bench.fleet.balancer;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.Workload;
import io.sluice.bench.trace.Trace;
import io.sluice.simulator.engine.EngineConfig;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The capacity of one engine: the requests per second that a saturated fleet of eight finishes
 * under least-requests, divided by eight.
 */
public final class EngineCapacity {
  private static final int ENGINES = 8;
  private static final Workload.Length LENGTH =
      new Workload.Length(Duration.ofSeconds(60).toNanos(), Duration.ofSeconds(240).toNanos());

  /** More than an engine can run at once, so that no engine is ever idle. */
  private static final int UNDER_WAY = 64;

  /** More requests than an engine can finish in the time. */
  private static final int REQUESTS_PER_ENGINE_SECOND = 20;

  private EngineCapacity() {}

  /** Measures the capacity for the requests of a trace, in requests per second. */
  public static double of(Trace trace, EngineConfig engine, long seed) {
    return of(count -> Workload.inOrder(trace, ENGINES, count, seed), engine, seed);
  }

  /**
   * Measures the capacity for some requests, in requests per second.
   *
   * @param maker makes a number of requests, by id
   */
  public static double of(IntFunction<List<FleetRequest>> maker, EngineConfig engine, long seed) {
    int count =
        (int)
            (LENGTH.totalNanos()
                / Duration.ofSeconds(1).toNanos()
                * REQUESTS_PER_ENGINE_SECOND
                * ENGINES);
    List<FleetRequest> requests = maker.apply(count);
    FleetRun run = new FleetRun(requests, engine, ENGINES, seed);
    // Nothing waits in this proxy: each request has an engine at once.
    var proxy = new Proxy(run, new Balancers.LeastRequests(ENGINES), Duration.ZERO);
    return run.saturate(proxy, ENGINES * UNDER_WAY, LENGTH) / ENGINES;
  }
}
