package io.sluice.bench.fleet.sluice;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** What a router knows from the registry of the workers. Not thread-safe. */
final class RegisteredWorkers {
  private final Consumer<String> engineDown;
  private final Map<String, BreakerState> breakers = new HashMap<>();
  private FleetSnapshot fleet = new FleetSnapshot(Map.of(), true);

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
    Optional<WorkerView> before = fleet.worker(snapshot.id());
    BreakerState breaker = breakers.getOrDefault(snapshot.id(), BreakerState.NEW);
    fleet = fleet.with(new WorkerView(snapshot, nowNanos, breaker));
    if (!snapshot.engineUp() && before.filter(known -> known.snapshot().engineUp()).isPresent()) {
      engineDown.accept(snapshot.id());
    }
  }

  /** A worker's breaker has changed. */
  void heard(String worker, BreakerState breaker) {
    breakers.put(worker, breaker);
    fleet
        .worker(worker)
        .map(view -> new WorkerView(view.snapshot(), view.heardAtNanos(), breaker))
        .ifPresent(view -> fleet = fleet.with(view));
  }

  /** A life of a worker has ended, or nothing was heard of it for long. */
  void left(String worker, String incarnation) {
    boolean isKnown =
        fleet
            .worker(worker)
            .filter(view -> view.snapshot().incarnation().equals(incarnation))
            .isPresent();
    if (isKnown) {
      Map<String, WorkerView> others = new HashMap<>(fleet.workers());
      others.remove(worker);
      breakers.remove(worker);
      fleet = new FleetSnapshot(others, true);
    }
  }

  /** Returns all workers. */
  FleetSnapshot fleet() {
    return fleet;
  }
}
