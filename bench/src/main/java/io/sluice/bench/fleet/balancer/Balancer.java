package io.sluice.bench.fleet.balancer;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.simulator.engine.EngineStats;
import io.sluice.simulator.engine.LiveSequence;
import java.util.function.IntPredicate;

/**
 * Chooses engines for a {@link Proxy}. Requests that an engine cannot start wait in the engine.
 * Each run has its own balancer. Not thread-safe.
 */
public interface Balancer {

  /** What happens to a request. */
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

  /**
   * Decides on a request, again whenever something has changed while it waits.
   *
   * @param usable the engines that it may get, by position; at least one
   */
  Choice pick(FleetRequest request, IntPredicate usable);

  /** Called for each token of an engine. */
  default void token(int engine, LiveSequence sequence) {}

  /** Called when an engine has ended a request that it was picked for, or failed with it. */
  default void ended(int engine, FleetRequest request) {}

  /** Returns how often it reads the engines' metrics; 0 for never. */
  default long scrapeNanos() {
    return 0;
  }

  /** Called with the metrics of an engine. */
  default void scraped(int engine, EngineStats stats) {}
}
