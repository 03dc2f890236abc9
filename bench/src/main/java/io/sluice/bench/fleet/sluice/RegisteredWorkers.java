package io.sluice.bench.fleet.sluice;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** What a router knows from the registry of the workers. Not thread-safe. */
final class RegisteredWorkers {
  private final Consumer<String> engineDown;
  private final Map<String, WorkerView> views = new HashMap<>();
  private final Map<String, BreakerState> breakers = new HashMap<>();
  private FleetSnapshot fleet = new FleetSnapshot(Map.of(), true);
  private boolean hasChanged;

  /**
   * A registry without workers.
   *
   * @param engineDown gets each worker that reports for the first time that its engine is down
   */
  RegisteredWorkers(Consumer<String> engineDown) {
    this.engineDown = engineDown;
  }

  /** A worker's heartbeat. */
  void heard(WorkerSnapshot snapshot, long nowNanos) {
    BreakerState breaker = breakers.getOrDefault(snapshot.id(), BreakerState.NEW);
    WorkerView before = views.put(snapshot.id(), new WorkerView(snapshot, nowNanos, breaker));
    hasChanged = true;
    if (!snapshot.engineUp() && before != null && before.snapshot().engineUp()) {
      engineDown.accept(snapshot.id());
    }
  }

  /** A worker's breaker has changed. */
  void heard(String worker, BreakerState breaker) {
    breakers.put(worker, breaker);
    views.computeIfPresent(
        worker, (id, view) -> new WorkerView(view.snapshot(), view.heardAtNanos(), breaker));
    hasChanged = true;
  }

  /** A life of a worker has ended, or nothing was heard of it for long. */
  void left(String worker, String incarnation) {
    WorkerView known = views.get(worker);
    if (known != null && known.snapshot().incarnation().equals(incarnation)) {
      views.remove(worker);
      breakers.remove(worker);
      hasChanged = true;
    }
  }

  /** All workers. */
  FleetSnapshot fleet() {
    if (hasChanged) {
      fleet = new FleetSnapshot(views, true);
      hasChanged = false;
    }
    return fleet;
  }
}
