package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.router.TestWorker;
import io.sluice.router.parse.ParsedRequest;
import io.sluice.router.placement.Ledger;
import io.sluice.router.placement.ReservedWorkers;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState.Pending;
import io.sluice.router.request.TrackedRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/** Two tasks of one router, to which anything may happen, and what must hold all the time. */
final class RandomWorld {
  /** Common to all long prompts, some of which wait for a worker that has it cached. */
  private static final PrefixChain PREFIX =
      new PrefixChain(LongStream.rangeClosed(1, 20).toArray(), 64);

  private static final long LONGEST_LIFE_MILLIS = 120_000;

  /** So little may anybody wait that some are refused for it. */
  private static final Duration MAX_WAIT = Duration.ofMillis(100);

  final VirtualRouter router = new VirtualRouter(12, MAX_WAIT);
  private final List<VirtualTask> tasks = List.of(router.newTask(), router.newTask());
  private final List<TestRequest> requests = new ArrayList<>();
  private final Map<String, VirtualTask> taskOf = new HashMap<>();
  private final List<LeaseRef> leases = new ArrayList<>();
  private final Map<String, Integer> attempts = new HashMap<>();
  private final Map<String, Set<String>> terminalLeases = new HashMap<>();
  private final Map<String, Map<String, GivenBack>> givenBackAt = new HashMap<>();
  private final Set<String> ended = new HashSet<>();

  private record GivenBack(long sequence, long atMillis) {}

  private int incarnations;

  RandomWorld() {
    router.join(new TestWorker("w0").slots(1));
    router.join(new TestWorker("w1").slots(2).maxModelLen(1_000).tokenBudget(350));
    router.join(new TestWorker("mini").models("mini").slots(1).maxModelLen(1_000));
    tasks.forEach(task -> task.effects.onAssign = this::checkAssignment);
  }

  void happen(RandomEvent event) {
    switch (event.kind()) {
      case REQUEST -> request(newRequest(event), false);
      case BAD_REQUEST -> request(newRequest(event), true);
      case REDELIVERY -> {
        if (!requests.isEmpty()) {
          TestRequest again = requests.get(event.which() % requests.size());
          taskFor(again.metadata().requestId()).request(again);
        }
      }
      case OUTCOME_OF_NEWEST_LEASE -> outcome(leases.size() - 1 - event.which() % 3, event);
      case OUTCOME_OF_ANY_LEASE -> outcome(event.which() % Math.max(1, leases.size()), event);
      case OUTCOME_OF_UNKNOWN_LEASE -> unknownOutcome(event);
      case CONTROL -> control(event);
      case TERMINAL_WRITTEN -> written(event, true);
      case TERMINAL_NOT_WRITTEN -> written(event, false);
      case TIME -> router.pass(Duration.ofMillis(event.which() * 4L), Duration.ofMillis(100));
      case FREEZE -> router.freeze(Duration.ofMillis(event.which() * 10L));
      case WORKER_CHANGES -> changeWorker(event);
      case REGISTRY_CHANGES -> {
        if (event.detail() % 2 == 0) {
          router.registryAway();
        } else {
          router.registryBack();
        }
      }
      case CRASH -> {
        givenBackAt.clear();
        router.crash();
      }
    }
    collect();
  }

  private TestRequest newRequest(RandomEvent event) {
    String id = "r" + event.which() % 12;
    TestRequest request = new TestRequest(id).at(requests.size()).tenant("t" + event.which() % 3);
    return (event.detail() % 2 == 0 ? request.fallback("mini") : request)
        .lane(event.detail() % 5 == 0 ? "8k" : "2k")
        .promptTokens(event.detail() % 7 == 0 ? 1_500 : 100)
        .prefix(event.detail() % 7 == 0 ? PREFIX : PrefixChain.NONE)
        .priority(Priority.values()[event.detail() % 3])
        .deadlineMillis(router.elapsedMillis() + event.detail() * 60L + slackMillis(event));
  }

  /** Some of the bulk requests have time to spare before they are promoted. */
  private static long slackMillis(RandomEvent event) {
    return event.detail() % 3 == Priority.BULK.ordinal() ? 58_000 : 0;
  }

  private void request(TestRequest request, boolean bad) {
    requests.add(request);
    VirtualTask task = taskFor(request.metadata().requestId());
    ParsedRequest reading = bad ? request.refused(ErrorKind.INVALID_REQUEST) : request.accepted();
    task.scheduler().request(reading, request.body(), router.now());
  }

  private VirtualTask taskFor(String requestId) {
    return taskOf.computeIfAbsent(
        requestId, id -> tasks.get(Math.floorMod(id.hashCode(), tasks.size())));
  }

  private void outcome(int at, RandomEvent event) {
    if (at >= 0 && at < leases.size()) {
      report(leases.get(at), outcomeOf(event.detail()));
    }
  }

  private void unknownOutcome(RandomEvent event) {
    String id = "r" + event.which() % 14;
    int attempt = 1 + attempts.getOrDefault(id, 0) + event.detail() % 3 - 1;
    if (attempt > 0) {
      LeaseRef lease = new LeaseRef(id, attempt, "unknown" + event.which(), "w1", "first");
      report(lease, outcomeOf(event.detail()));
    }
  }

  private void report(LeaseRef lease, Outcome.Event event) {
    VirtualTask task = taskFor(lease.requestId());
    boolean isGivenBack =
        event instanceof Outcome.Returned
            && task.store
                .get(lease.requestId())
                .flatMap(tracked -> tracked.state().activeLease())
                .filter(lease::equals)
                .isPresent();
    if (isGivenBack) {
      router.workers().stream()
          .map(TestWorker::snapshot)
          .filter(worker -> worker.id().equals(lease.worker()))
          .filter(worker -> worker.incarnation().equals(lease.incarnation()))
          .forEach(
              worker ->
                  givenBackAt
                      .computeIfAbsent(lease.requestId(), id -> new HashMap<>())
                      .put(
                          worker.id() + worker.incarnation(),
                          new GivenBack(worker.sequence(), router.elapsedMillis())));
    }
    task.outcome(lease, event);
  }

  private static Outcome.Event outcomeOf(int detail) {
    return switch (detail % 11) {
      case 0 -> new Outcome.Accepted();
      case 1 -> VirtualTask.started(detail);
      case 2 -> new Outcome.Progress(detail);
      case 3 -> VirtualTask.completed();
      case 4 -> TestWorker.failure(detail % 3);
      case 5 -> TestWorker.rejection();
      case 6 -> new Outcome.Returned(Outcome.ReturnReason.EVICTED, detail % 5);
      case 7 -> new Outcome.Superseded();
      case 8 -> new Outcome.Expired();
      case 9 -> new Outcome.Cancelled();
      default -> TestWorker.busy(detail * 50L);
    };
  }

  private void control(RandomEvent event) {
    String id = "r" + event.which() % 14;
    Control control =
        switch (event.detail() % 3) {
          case 0 -> new Control.Cancel(id);
          case 1 ->
              new Control.Extend(id, router.now().epochMillis() + event.detail() * 60L - 5_000);
          default -> new Control.Reprioritise(id, Priority.values()[event.which() % 3]);
        };
    taskFor(id).control(control);
  }

  private void written(RandomEvent event, boolean acknowledged) {
    String id = "r" + event.which() % 12;
    if (acknowledged) {
      taskFor(id).endWritten(id);
    } else {
      taskFor(id).endNotWritten(id);
    }
  }

  private void changeWorker(RandomEvent event) {
    String id = "w" + event.which() % 3;
    switch (event.detail() % 5) {
      case 0 -> router.leave(id);
      case 1 -> router.silence(id);
      case 2 -> router.wake(id);
      case 3 ->
          router.join(
              new TestWorker(id).slots(event.which() % 4).incarnation("i" + incarnations++));
      default ->
          router.workers().stream()
              .filter(worker -> worker.id().equals(id))
              .forEach(worker -> worker.draining(event.which() % 2 == 0));
    }
  }

  /** Called as each assignment is made, with the slot already counted. */
  private void checkAssignment(Assignment assignment) {
    LeaseRef lease = assignment.lease();
    var worker =
        router.workers().stream()
            .map(TestWorker::snapshot)
            .filter(snapshot -> snapshot.id().equals(lease.worker()))
            .findFirst()
            .orElseThrow();
    assertThat(worker.accepting()).isTrue();
    assertThat(worker.models()).contains(assignment.fallbackModel().orElse("llama"));
    assertThat(worker.incarnation()).isEqualTo(lease.incarnation());
    assertThat(router.parts().ledger().at(worker.id()).leases())
        .isLessThanOrEqualTo(worker.slots());
    GivenBack givenBack =
        givenBackAt
            .getOrDefault(lease.requestId(), Map.of())
            .get(worker.id() + worker.incarnation());
    assertThat(
            givenBack == null
                || worker.sequence() > givenBack.sequence()
                || router.elapsedMillis() - givenBack.atMillis() >= 1_000)
        .isTrue();
    assertThat(ended).doesNotContain(lease.requestId());
  }

  /** Takes down what the tasks have done. */
  private void collect() {
    for (VirtualTask task : tasks) {
      task.effects.assigned.forEach(assignment -> leases.add(assignment.lease()));
      task.effects.terminals.forEach(
          terminal ->
              terminalLeases
                  .computeIfAbsent(terminal.metadata().requestId(), id -> new HashSet<>())
                  .add(terminal.lease().lease()));
      task.effects.clear();
    }
  }

  void checkAlways() {
    collect();
    Map<String, Ledger.Reserved> reserved = new HashMap<>();
    int due = 0;
    int bulk = 0;
    for (VirtualTask task : tasks) {
      for (TrackedRequest tracked : task.store.all()) {
        RequestMetadata metadata = tracked.metadata();
        tracked
            .state()
            .activeLease()
            .ifPresent(
                lease ->
                    reserved.merge(
                        lease.worker(),
                        new Ledger.Reserved(1, metadata.contextTokens()),
                        (a, b) -> a.plus(b.leases(), b.tokens())));
        boolean waits =
            tracked.state() instanceof Pending pending
                && pending.notBeforeMillis() <= router.now().epochMillis();
        due += waits ? 1 : 0;
        bulk += waits && metadata.priority() == Priority.BULK ? 1 : 0;
        int before = attempts.merge(metadata.requestId(), tracked.history().attempts(), Math::max);
        assertThat(tracked.history().attempts()).isEqualTo(before);
      }
      ended.addAll(task.store.endedIds());
    }
    for (String worker : List.of("w0", "w1", "w2", "mini")) {
      assertThat(router.parts().ledger().at(worker))
          .isEqualTo(reserved.getOrDefault(worker, Ledger.Reserved.NONE));
    }
    assertThat(router.parts().backlog().pending()).isEqualTo(due);
    assertThat(router.parts().backlog().pendingBulk()).isEqualTo(bulk);
    terminalLeases.forEach((id, distinct) -> assertThat(distinct).as(id).hasSize(1));
  }

  /** No worker answers any more, and the end of every request is acknowledged. */
  void letEverythingEnd() {
    router.workers().forEach(worker -> router.leave(worker.id()));
    router.registryBack();
    router.pass(Duration.ofMillis(LONGEST_LIFE_MILLIS), Duration.ofMillis(500));
    collect();
    for (VirtualTask task : tasks) {
      task.store.all().forEach(open -> task.endWritten(open.requestId()));
    }
  }

  void checkAtTheEnd() {
    checkAlways();
    for (VirtualTask task : tasks) {
      assertThat(task.store.all()).isEmpty();
    }
    assertThat(router.bodies.cached()).isEmpty();
    assertThat(router.parts().ledger().at("w0")).isEqualTo(Ledger.Reserved.NONE);
    assertThat(router.parts().ledger().at("w1")).isEqualTo(Ledger.Reserved.NONE);
    assertThat(router.parts().backlog().pending()).isZero();
    assertThat(new ReservedWorkers(router.parts().ledger()).size()).isZero();
  }
}
