package io.sluice.bench.fleet;

import io.sluice.simulator.engine.EngineStats;

/**
 * A load balancer that forwards every request at once, as proxies do. Requests that an engine
 * cannot start wait in the engine. Each run has its own balancer. Not thread-safe.
 */
interface Balancer {

  /** Chooses the engine for a request. */
  int pick(FleetRequest request);

  /** Called when the answer of an engine has been forwarded completely. */
  default void answered(int engine) {}

  /** How often it reads the engines' metrics; 0 for never. */
  default long scrapeNanos() {
    return 0;
  }

  /** Called with the metrics of an engine. */
  default void scraped(int engine, EngineStats stats) {}
}
