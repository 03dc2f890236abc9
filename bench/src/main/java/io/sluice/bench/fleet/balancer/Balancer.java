package io.sluice.bench.fleet.balancer;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.simulator.engine.EngineStats;
import io.sluice.simulator.engine.LiveSequence;

/**
 * Chooses engines for a {@link Proxy}. Requests that an engine cannot start wait in the engine.
 * Each run has its own balancer. Not thread-safe.
 */
public interface Balancer {

  /** What becomes of a request. */
  sealed interface Choice {
    /** It is sent to the engine at this position. */
    record Send(int engine) implements Choice {}

    /** It waits, and so do all behind it. */
    record Hold() implements Choice {}

    /** It gets an error. */
    record Refuse() implements Choice {}

    /** Sends it to the engine at a position. */
    static Choice send(int engine) {
      return new Send(engine);
    }
  }

  /** Decides on a request, again whenever something has changed while it waits. */
  Choice pick(FleetRequest request);

  /** Called for each token of an engine. */
  default void token(int engine, LiveSequence sequence) {}

  /** Called when an engine has ended a request that it was picked for. */
  default void ended(int engine, FleetRequest request) {}

  /** How often it reads the engines' metrics; 0 for never. */
  default long scrapeNanos() {
    return 0;
  }

  /** Called with the metrics of an engine. */
  default void scraped(int engine, EngineStats stats) {}
}
