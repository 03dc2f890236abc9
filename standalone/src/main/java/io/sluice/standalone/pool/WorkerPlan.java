package io.sluice.standalone.pool;

import io.sluice.simulator.SimulatorConfig;
import java.net.URI;
import java.util.Optional;

/**
 * One worker of a local pool.
 *
 * @param maxConcurrent the most requests that it runs at once
 */
public record WorkerPlan(String id, Optional<String> tier, Engine engine, int maxConcurrent) {

  /** What the worker drives. */
  public sealed interface Engine {
    /** A simulated engine in this process. */
    record Simulated(SimulatorConfig config) implements Engine {}

    /**
     * A real server, which need not be there yet.
     *
     * @param model the name it is to serve under; empty for those that it lists itself
     * @param apiKey what it wants as a bearer token
     */
    record External(URI url, Optional<String> model, Optional<String> apiKey) implements Engine {
      /** A server that serves what it lists, to anybody. */
      public External(URI url) {
        this(url, Optional.empty(), Optional.empty());
      }
    }
  }
}
