package io.sluice.fleet;

import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerState;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Where workers make themselves known and routers find them. All methods return at once; a stage
 * fails with the registry's error, after a bounded time, when it is away. Thread-safe.
 */
public interface FleetRegistry {

  /**
   * Stores a worker's snapshot and tells everybody. A snapshot is refused when a later one of the
   * same incarnation is there already.
   */
  CompletionStage<Published> publish(WorkerSnapshot snapshot);

  /**
   * What a worker learns as it makes itself known.
   *
   * @param stored whether its snapshot was
   * @param order its operator's last one, as long as that is remembered
   */
  record Published(boolean stored, Optional<WorkerOrder> order) {}

  /** Leaves an order for a worker, in the place of the one before. */
  CompletionStage<Void> order(String workerId, WorkerOrder order);

  /** Takes a worker out, unless another incarnation has taken its place, and tells everybody. */
  CompletionStage<Void> remove(String workerId, String incarnation);

  /**
   * Applies events to a worker's breaker by the table of {@link io.sluice.fleet.breaker.Breaker},
   * all or none, and tells everybody if that changes it.
   *
   * @return the state that follows
   */
  CompletionStage<BreakerState> applyToBreaker(String workerId, List<BreakerEvent.Timed> events);

  /** All workers that have made themselves known lately, with their breakers. */
  CompletionStage<FleetReading> readAll();

  /**
   * Calls the listener on every change, on a thread of the registry's. What is published while the
   * connection is down is lost: re-read on {@link FleetListener#resubscribed()} and from time to
   * time.
   *
   * @return ends the subscription
   */
  AutoCloseable subscribe(FleetListener listener);
}
