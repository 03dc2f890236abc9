package io.sluice.standalone.pool;

import io.sluice.simulator.SimulatorConfig;
import java.net.URI;
import java.util.Optional;

/**
 * One worker of a local pool.
 *
 * @param maxConcurrent how many requests it runs at once
 */
public record WorkerPlan(String id, Optional<String> tier, Engine engine, int maxConcurrent) {

  /** What the worker drives. */
  public sealed interface Engine {
    /** A simulated engine in this process. */
    record Simulated(SimulatorConfig config) implements Engine {}

    /** A real server that is there already. */
    record External(URI url) implements Engine {}
  }
}
