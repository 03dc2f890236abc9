package io.sluice.router.fleet;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * All workers at one moment. Immutable.
 *
 * @param workers by id, in the order of the ids, which is the same in all processes
 * @param fresh whether the registry was reached recently; if not, missing heartbeats mean nothing
 * @param age the time since the registry was last read completely, or since the start if it never
 *     was
 */
public record FleetSnapshot(Map<String, WorkerView> workers, boolean fresh, Duration age) {
  public FleetSnapshot {
    workers = OrderedWorkers.of(workers);
  }

  /** A snapshot of just now. */
  public FleetSnapshot(Map<String, WorkerView> workers, boolean fresh) {
    this(workers, fresh, Duration.ZERO);
  }

  /** Returns the same moment, with a newer view of one worker, or with that worker as well. */
  public FleetSnapshot with(WorkerView view) {
    return new FleetSnapshot(OrderedWorkers.of(workers).with(view), fresh, age);
  }

  /** Returns the index of a worker in the order of the ids; negative if it is not registered. */
  public int indexOf(String id) {
    return OrderedWorkers.of(workers).indexOf(id);
  }

  /** Returns the worker at an index in the order of the ids. */
  public WorkerView worker(int index) {
    return OrderedWorkers.of(workers).at(index);
  }

  /** Returns one worker; empty if it is not registered. */
  public Optional<WorkerView> worker(String id) {
    return Optional.ofNullable(workers.get(id));
  }
}
