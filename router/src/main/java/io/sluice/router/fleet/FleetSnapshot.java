package io.sluice.router.fleet;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * All workers at one moment. Immutable.
 *
 * @param workers by id, in the order of the ids: the same in all processes
 * @param fresh whether the registry was heard of lately; if not, the absence of heartbeats means
 *     nothing
 * @param age since the registry was last read as a whole, or since the start if it never was
 */
public record FleetSnapshot(Map<String, WorkerView> workers, boolean fresh, Duration age) {
  public FleetSnapshot {
    workers = OrderedWorkers.of(workers);
  }

  /** Of just now. */
  public FleetSnapshot(Map<String, WorkerView> workers, boolean fresh) {
    this(workers, fresh, Duration.ZERO);
  }

  /** One worker; empty if it is not registered. */
  public Optional<WorkerView> worker(String id) {
    return Optional.ofNullable(workers.get(id));
  }
}
