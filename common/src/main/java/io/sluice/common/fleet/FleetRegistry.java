package io.sluice.common.fleet;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Where workers make themselves known and routers find them. All methods return at once; a stage
 * fails with the registry's error, after a bounded time, when it is away. Thread-safe.
 */
public interface FleetRegistry {

  /**
   * Stores a worker's snapshot and tells everybody. A snapshot is refused when a later one of the
   * same incarnation is there already.
   *
   * @return whether it was stored
   */
  CompletionStage<Boolean> publish(WorkerSnapshot snapshot);

  /** Takes a worker out, unless another incarnation has taken its place, and tells everybody. */
  CompletionStage<Void> remove(String workerId, String incarnation);

  /** All workers that have made themselves known lately. */
  CompletionStage<List<WorkerSnapshot>> readAll();

  /**
   * Calls the listener on every change, on a thread of the registry's. What is published while the
   * connection is down is lost: re-read on {@link FleetListener#resubscribed()} and from time to
   * time.
   *
   * @return ends the subscription
   */
  AutoCloseable subscribe(FleetListener listener);
}
