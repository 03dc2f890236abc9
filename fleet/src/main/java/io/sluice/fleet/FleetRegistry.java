package io.sluice.fleet;

import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerState;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The registry in which workers publish their state and routers find them. All methods return at
 * once. A returned stage fails with the registry's error, after a bounded time, if the registry is
 * not reachable. Thread-safe.
 */
public interface FleetRegistry {

  /**
   * Stores a worker's snapshot, and notifies all listeners if more than its sequence has changed. A
   * snapshot is rejected if a later one of the same incarnation is stored already.
   */
  CompletionStage<Published> publish(WorkerSnapshot snapshot);

  /**
   * The result of publishing a snapshot.
   *
   * @param stored whether the snapshot was stored
   * @param order the operator's last order for the worker, if it has not expired
   */
  record Published(boolean stored, Optional<WorkerOrder> order) {}

  /** Stores an order for a worker, in place of the previous one. */
  CompletionStage<Void> order(String workerId, WorkerOrder order);

  /** Removes a worker, unless another incarnation has replaced it, and notifies all listeners. */
  CompletionStage<Void> remove(String workerId, String incarnation);

  /**
   * Applies events to a worker's breaker by the table of {@link io.sluice.fleet.breaker.Breaker},
   * all or none, and notifies all listeners of a change.
   *
   * @return the resulting state
   */
  CompletionStage<BreakerState> applyToBreaker(String workerId, List<BreakerEvent.Timed> events);

  /** Reads all workers with a recent heartbeat, with their breakers. */
  CompletionStage<FleetReading> readAll();

  /**
   * Calls the listener for every change, on a thread of the registry. Changes are lost while the
   * connection is down: read the registry again on {@link FleetListener#resubscribed()} and
   * periodically.
   *
   * @return closes the subscription
   */
  AutoCloseable subscribe(FleetListener listener);
}
