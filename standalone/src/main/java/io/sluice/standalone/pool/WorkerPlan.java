package io.sluice.standalone.pool;

import io.sluice.simulator.SimulatorConfig;
import java.net.URI;
import java.util.Optional;

/**
 * A worker of a local pool.
 *
 * @param maxConcurrent the maximum number of requests that it runs at once
 */
public record WorkerPlan(String id, Optional<String> tier, Engine engine, int maxConcurrent) {

  /** Returns this plan with an engine that needs no warm-up. */
  WorkerPlan withWarmEngine() {
    return engine instanceof Engine.External(URI url, var model, var apiKey, _)
        ? new WorkerPlan(id, tier, new Engine.External(url, model, apiKey, true), maxConcurrent)
        : this;
  }

  /** The engine of the worker. */
  public sealed interface Engine {
    /** A simulated engine in this process. */
    record Simulated(SimulatorConfig config) implements Engine {}

    /**
     * A real server, which need not be reachable yet.
     *
     * @param model the name under which it serves; empty for the names that it lists itself
     * @param apiKey the bearer token that it requires
     * @param isWarm whether it needs no warm-up
     */
    record External(URI url, Optional<String> model, Optional<String> apiKey, boolean isWarm)
        implements Engine {}
  }
}
