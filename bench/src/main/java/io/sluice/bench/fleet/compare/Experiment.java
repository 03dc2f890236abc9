package io.sluice.bench.fleet.compare;

import io.sluice.bench.fleet.run.EngineFailures;
import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.RunResult;
import io.sluice.bench.fleet.run.Workload;
import io.sluice.bench.trace.Trace;
import io.sluice.simulator.engine.EngineConfig;
import java.util.List;

/**
 * A trace on a fleet.
 *
 * @param kinds of engines, which those of a fleet are in turn
 * @param length how long the traffic of a run is
 * @param failures of engines in each run
 */
record Experiment(
    Trace trace, List<EngineConfig> kinds, Workload.Length length, EngineFailures failures) {
  /** Returns the names of the engines' profiles, in their order. */
  List<String> profiles() {
    return kinds.stream().map(kind -> kind.timing().profile().wireName()).toList();
  }

  /** Makes one run. Equal arguments give equal arrivals and failures for all contestants. */
  RunResult run(Contestant contestant, int engines, double requestsPerSecond, long seed) {
    List<FleetRequest> requests = Workload.of(trace, requestsPerSecond, length, seed);
    FleetRun run = new FleetRun(requests, kinds, engines, seed);
    FleetRun.Front front = contestant.front(run, seed);
    failures.plan(run, length, seed);
    return run.run(front, length);
  }
}
