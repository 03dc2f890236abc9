package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.router.TestWorker;
import io.sluice.router.placement.ReservedWorkers;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState;
import io.sluice.router.request.TrackedRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import net.jqwik.api.Tuple;
import net.jqwik.api.statistics.Statistics;

/** Whatever is asked of two tasks of one router: holds are kept, and keep nothing for ever. */
@Tag("slow")
class CapacityReservationsPropertiesTest {
  private static final long DAY_MILLIS = 86_400_000;

  private static final Duration STEP = Duration.ofMillis(100);

  private enum Kind {
    SMALL_REQUESTS,
    LARGE_REQUEST,
    ANSWER,
    TIME,
    CANCEL,
    WORKER_CHANGES
  }

  private record Event(Kind kind, int which) {}

  @Provide
  Arbitrary<List<Event>> loads() {
    Arbitrary<Kind> kinds =
        Arbitraries.frequency(
            Tuple.of(3, Kind.SMALL_REQUESTS),
            Tuple.of(3, Kind.LARGE_REQUEST),
            Tuple.of(2, Kind.ANSWER),
            Tuple.of(4, Kind.TIME),
            Tuple.of(1, Kind.CANCEL),
            Tuple.of(1, Kind.WORKER_CHANGES));
    return Combinators.combine(kinds, Arbitraries.integers().between(0, 1_000))
        .as(Event::new)
        .list()
        .ofMinSize(20)
        .ofMaxSize(100);
  }

  @Property(tries = 100)
  void whenTheLoadEndsEverythingIsServedAndNothingIsHeld(@ForAll("loads") List<Event> load) {
    // Given
    World world = new World();
    boolean isHeld = false;

    // When
    for (Event event : load) {
      world.happen(event);
      world.pass(STEP);
      world.checkHolds();
      isHeld |= world.reservedWorkers().size() > 0;
    }
    world.letTheLoadEnd();

    // Then
    assertThat(world.open()).isEmpty();
    assertThat(world.reservedWorkers().size()).isZero();
    Statistics.label("something was held")
        .collect(isHeld)
        .coverage(held -> held.check(true).percentage(share -> share > 5));
  }

  private static final class World {
    private final VirtualRouter router = new VirtualRouter();
    private final List<VirtualTask> tasks = List.of(router.settledTask(), router.settledTask());
    private final List<LeaseRef> running = new ArrayList<>();
    private final List<Integer> seen = new ArrayList<>(List.of(0, 0));
    private int requests;
    private long reportedMillis;

    World() {
      router.join(worker("w0").slots(8).tokenBudget(1_000));
      router.join(worker("w1").slots(3).tokenBudget(1_500));
      tasks.forEach(task -> task.effects.onAssign = assignment -> check(task, assignment));
    }

    private static TestWorker worker(String id) {
      return new TestWorker(id).slots(4).tokenBudget(900);
    }

    void happen(Event event) {
      int which = event.which();
      switch (event.kind()) {
        case SMALL_REQUESTS -> {
          for (int i = 0; i < 8; i++) {
            request(which, 60 + which % 50);
          }
        }
        case LARGE_REQUEST -> request(which, 500 + which);
        case ANSWER -> answer(which);
        case TIME -> pass(Duration.ofMillis(which * 3L));
        case CANCEL -> {
          String id = "r" + which % Math.max(1, requests);
          tasks.forEach(task -> task.control(new Control.Cancel(id)));
        }
        case WORKER_CHANGES -> {
          String id = "w" + (1 + which % 3);
          if (which % 2 == 0) {
            router.leave(id);
            running.removeIf(lease -> lease.worker().equals(id));
          } else {
            router.join(worker(id).incarnation("i" + which));
          }
        }
      }
    }

    private void request(int which, long promptTokens) {
      tasks
          .get(which % 2)
          .request(
              new TestRequest("r" + requests)
                  .at(requests++)
                  .lane(promptTokens > 200 ? "8k" : "2k")
                  .promptTokens(promptTokens)
                  .priority(which % 7 == 0 ? Priority.values()[which % 3] : Priority.INTERACTIVE)
                  .appendedMillis(router.elapsedMillis())
                  .deadlineMillis(router.elapsedMillis() + DAY_MILLIS));
    }

    private void answer(int which) {
      if (!running.isEmpty()) {
        LeaseRef lease = running.remove(which % running.size());
        tasks.forEach(task -> answer(task, lease));
      }
    }

    private static void answer(VirtualTask task, LeaseRef lease) {
      if (task.store.get(lease.requestId()).isPresent()) {
        task.outcome(lease, VirtualTask.completed());
      }
    }

    /** Workers report every second. */
    void pass(Duration duration) {
      for (long passed = 0; passed < duration.toMillis(); passed += 1_000) {
        router.pass(Duration.ofMillis(Math.min(1_000, duration.toMillis() - passed)), STEP);
        for (int task = 0; task < tasks.size(); task++) {
          List<Assignment> assigned = tasks.get(task).effects.assigned;
          for (; seen.get(task) < assigned.size(); seen.set(task, seen.get(task) + 1)) {
            running.add(assigned.get(seen.get(task)).lease());
          }
        }
        if (router.elapsedMillis() - reportedMillis >= 1_000) {
          reportedMillis = router.elapsedMillis();
          List.copyOf(running).forEach(this::report);
        }
      }
    }

    private void report(LeaseRef lease) {
      tasks.stream()
          .filter(task -> task.store.get(lease.requestId()).isPresent())
          .forEach(task -> task.outcome(lease, new Outcome.Progress(1)));
    }

    private void check(VirtualTask task, Assignment assignment) {
      LeaseRef lease = assignment.lease();
      RequestMetadata metadata = task.store.get(lease.requestId()).orElseThrow().metadata();
      assertThat(reservedWorkers().isReservedForOther(metadata, lease.worker())).isFalse();
    }

    void checkHolds() {
      List<String> waiting =
          tasks.stream()
              .flatMap(task -> task.store.all().stream())
              .filter(tracked -> tracked.state() instanceof RequestState.Pending)
              .map(tracked -> tracked.metadata().requestId())
              .toList();
      long held =
          waiting.stream().filter(id -> reservedWorkers().workerFor(id).isPresent()).count();
      assertThat(reservedWorkers().size()).isEqualTo(held);
    }

    void letTheLoadEnd() {
      for (int round = 0; round < 3 * requests + 10 && !open().isEmpty(); round++) {
        pass(Duration.ofSeconds(1));
        List.copyOf(running).forEach(lease -> answer(0));
      }
    }

    List<String> open() {
      return tasks.stream()
          .flatMap(task -> task.store.all().stream())
          .filter(TrackedRequest::isOpen)
          .map(tracked -> tracked.metadata().requestId())
          .toList();
    }

    ReservedWorkers reservedWorkers() {
      return new ReservedWorkers(router.parts().ledger());
    }
  }
}
