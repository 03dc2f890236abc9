package io.sluice.router.fleet;

import java.util.Map;
import java.util.Optional;

/**
 * All workers at one moment. Immutable.
 *
 * @param workers by id
 * @param fresh whether the registry was heard of lately; if not, the absence of heartbeats means
 *     nothing
 */
public record FleetSnapshot(Map<String, WorkerView> workers, boolean fresh) {
  public FleetSnapshot {
    workers = Map.copyOf(workers);
  }

  /** One worker; empty if it is not registered. */
  public Optional<WorkerView> worker(String id) {
    return Optional.ofNullable(workers.get(id));
  }
}
