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

  /** The engine of the worker. */
  public sealed interface Engine {
    /** A simulated engine in this process. */
    record Simulated(SimulatorConfig config) implements Engine {}

    /**
     * A real server, which need not be reachable yet.
     *
     * @param model the name under which it serves; empty for the names that it lists itself
     * @param apiKey the bearer token that it requires
     */
    record External(URI url, Optional<String> model, Optional<String> apiKey) implements Engine {
      /** Creates a server that serves the models it lists and needs no key. */
      public External(URI url) {
        this(url, Optional.empty(), Optional.empty());
      }
    }
  }
}
