package io.sluice.bench.fleet;

import io.sluice.simulator.engine.EngineStats;

/**
 * A load balancer that passes every request on at once, as proxies do; what an engine cannot start
 * waits inside it. One of its own per run; not thread-safe.
 */
interface Balancer {

  /** The engine that gets a request. */
  int pick(FleetRequest request);

  /** The answer of an engine has passed through to the end. */
  default void answered(int engine) {}

  /** How often it looks at the engines' metrics; 0 for never. */
  default long scrapeNanos() {
    return 0;
  }

  /** A look at an engine's metrics. */
  default void scraped(int engine, EngineStats stats) {}
}
