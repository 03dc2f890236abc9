package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.AssignmentBuilder;
import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyKind;
import io.sluice.router.TestWorker;
import io.sluice.router.placement.Ledger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A router, workers that keep to the protocol, and the log that a caller reads. Between any two
 * steps messages are late, lost, doubled or out of order, workers die, and the router crashes.
 */
final class LoggedWorld {
  /** What may happen, modulo what there is. */
  enum Kind {
    REQUEST,
    REPEAT,
    WORKER_STEP,
    OUTCOME_ARRIVES,
    OUTCOME_IS_LOST,
    OUTCOME_COMES_AGAIN,
    REVOKE_ARRIVES,
    WORKER_DIES,
    CANCEL,
    EXTEND,
    END_IS_WRITTEN,
    END_IS_NOT_WRITTEN,
    TIME,
    FREEZE,
    COMMIT,
    GIVEN_TWICE,
    ASSIGNMENT_IS_NOT_WRITTEN,
    CRASH
  }

  /** One thing that happens. */
  record Event(Kind kind, int which, int detail) {}

  private static final Duration STEP = Duration.ofMillis(500);
  private static final int LONGEST_END = 1_000;

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();
  private final LoggedReplies log = new LoggedReplies();
  private final List<TestRequest> requests = new ArrayList<>();
  private final Set<String> asked = new LinkedHashSet<>();
  private final List<LoggedHolder> holders = new ArrayList<>();
  private final List<Outcome> underWay = new ArrayList<>();
  private final List<Outcome> arrived = new ArrayList<>();
  private final List<LeaseRef> revokes = new ArrayList<>();
  private final List<RecordedEffects.End> ends = new ArrayList<>();

  /** The fresh first attempts. */
  private final List<Assignment> firsts = new ArrayList<>();

  private final List<TestRequest> uncommittedRequests = new ArrayList<>();
  private final List<Outcome> uncommitted = new ArrayList<>();
  private final List<InMemoryRequestStore> stored = new ArrayList<>();

  LoggedWorld() {
    committed();
    for (String worker : List.of("w0", "w1", "w2")) {
      router.join(new TestWorker(worker).slots(2));
    }
  }

  void happen(Event event) {
    int which = event.which();
    switch (event.kind()) {
      case REQUEST -> {
        long deadline = router.elapsedMillis() + 1_000L + event.detail() * 40L;
        ask(new TestRequest("r" + requests.size()).at(requests.size()).deadlineMillis(deadline));
      }
      case REPEAT -> {
        if (!requests.isEmpty()) {
          task.request(requests.get(which % requests.size()));
        }
      }
      case WORKER_STEP -> {
        if (!holders.isEmpty()) {
          // Mostly the latest ones.
          holders
              .get(holders.size() - 1 - which % Math.min(holders.size(), 4))
              .step(event.detail(), router.now().epochMillis());
        }
      }
      case OUTCOME_ARRIVES -> {
        if (!underWay.isEmpty()) {
          arrives(underWay.remove(which % underWay.size()));
        }
      }
      case OUTCOME_IS_LOST -> {
        if (!underWay.isEmpty()) {
          underWay.remove(which % underWay.size());
        }
      }
      case OUTCOME_COMES_AGAIN -> {
        if (!arrived.isEmpty()) {
          Outcome again = arrived.get(which % arrived.size());
          task.outcome(again.lease(), again.event());
        }
      }
      case REVOKE_ARRIVES -> {
        if (!revokes.isEmpty()) {
          revoked(revokes.remove(which % revokes.size()));
        }
      }
      case WORKER_DIES -> {
        if (!holders.isEmpty()) {
          holders.get(which % holders.size()).stop();
        }
      }
      case CANCEL -> task.control(new Control.Cancel("r" + which % 8));
      case EXTEND ->
          task.control(
              new Control.Extend(
                  "r" + which % 8, router.now().epochMillis() + event.detail() * 40L));
      case END_IS_WRITTEN -> {
        if (!ends.isEmpty()) {
          written(ends.remove(which % ends.size()));
        }
      }
      case END_IS_NOT_WRITTEN -> {
        if (!ends.isEmpty()) {
          var end = ends.remove(which % ends.size());
          task.scheduler().endNotWritten(end.requestId(), end.record(), router.now());
        }
      }
      case TIME -> router.pass(Duration.ofMillis(event.detail() * 4L), Duration.ofMillis(100));
      case FREEZE -> router.freeze(Duration.ofMillis(event.detail() * 10L));
      case CRASH -> {
        // The records are in the log, but nobody is told.
        ends.stream().limit(which % 3).forEach(this::write);
        ends.clear();
        crash(event.detail());
      }
      case COMMIT -> committed();
      case ASSIGNMENT_IS_NOT_WRITTEN -> {
        if (!holders.isEmpty()) {
          notWritten(holders.get(holders.size() - 1 - which % Math.min(holders.size(), 4)), event);
        }
      }
      case GIVEN_TWICE -> {
        if (!firsts.isEmpty()) {
          givenTwice(firsts.remove(which % firsts.size()));
        }
      }
    }
    collect();
  }

  private void ask(TestRequest request) {
    requests.add(request);
    asked.add(request.metadata().requestId());
    uncommittedRequests.add(request);
    task.request(request);
  }

  private void committed() {
    uncommittedRequests.clear();
    uncommitted.clear();
    stored.clear();
    stored.add(task.store.copy());
  }

  /**
   * What was stored since some moment after the last commit is lost, what came since it comes
   * again.
   */
  private void crash(int moment) {
    task.store.goBackTo(stored.get(moment % stored.size()));
    router.crash();
    stored.clear();
    stored.add(task.store.copy());
    List.copyOf(uncommitted).forEach(again -> task.outcome(again.lease(), again.event()));
    List.copyOf(uncommittedRequests).forEach(again -> task.request(again.fresh(false)));
  }

  /**
   * A router that does not know yet that it lost the task gives the first attempt once more. Who
   * gets it says so before it writes, as all workers do, and here that is not late.
   */
  private void givenTwice(Assignment first) {
    LeaseRef lease = first.lease();
    Assignment twin =
        AssignmentBuilder.builder(first)
            .lease(
                new LeaseRef(
                    lease.requestId(),
                    lease.attempt(),
                    lease.lease() + "-twin",
                    lease.worker(),
                    lease.incarnation()))
            .router("late")
            .build();
    holders.add(new LoggedHolder(twin, log, this::arrives, router.now().epochMillis()));
  }

  /** The producer says so, but the worker may have it all the same. */
  private void notWritten(LoggedHolder holder, Event event) {
    if (event.detail() % 2 == 0 && !holder.hasBegun()) {
      holder.stop();
    }
    task.scheduler().notAssigned(holder.lease(), router.now());
  }

  private void arrives(Outcome outcome) {
    arrived.add(outcome);
    uncommitted.add(outcome);
    task.outcome(outcome.lease(), outcome.event());
  }

  private void revoked(LeaseRef lease) {
    holders.stream().filter(holder -> holder.lease().equals(lease)).forEach(LoggedHolder::stop);
  }

  private void written(RecordedEffects.End end) {
    write(end);
    task.scheduler().endWritten(end.requestId(), end.record(), router.now());
  }

  private void write(RecordedEffects.End end) {
    end.terminal()
        .ifPresent(it -> log.add(it.lease(), ReplyKind.ERROR, ClaimMode.RESUME, it.tokens(), 0));
  }

  /** Sends what the router has sent on its way. */
  private void collect() {
    for (Assignment assignment : task.effects.assigned) {
      holders.add(new LoggedHolder(assignment, log, underWay::add, router.now().epochMillis()));
      if (assignment.fresh()) {
        firsts.add(assignment);
      }
    }
    revokes.addAll(task.effects.revoked);
    ends.addAll(task.effects.ends);
    task.effects.clear();
    stored.add(task.store.copy());
  }

  /** From now on everything arrives, and every worker answers what it has. */
  void letEverythingEnd() {
    for (int i = 0; i < LONGEST_END && !isQuiet(); i++) {
      holders.forEach(holder -> holder.step(0, router.now().epochMillis()));
      drain(underWay).forEach(this::arrives);
      collect();
      drain(revokes).forEach(this::revoked);
      drain(ends).forEach(this::written);
      router.pass(STEP, Duration.ofMillis(100));
      collect();
    }
  }

  private boolean isQuiet() {
    return task.store.all().isEmpty()
        && underWay.isEmpty()
        && ends.isEmpty()
        && revokes.isEmpty()
        && holders.stream().allMatch(LoggedHolder::isOver);
  }

  private static <T> List<T> drain(List<T> all) {
    List<T> drained = List.copyOf(all);
    all.clear();
    return drained;
  }

  void checkAtTheEnd() {
    assertThat(isQuiet()).isTrue();
    for (String id : asked) {
      assertThat(log.fold(id).phase())
          .as("%s: %s", id, log.lines(id))
          .isEqualTo(ReplyFold.Phase.ENDED);
    }
    assertThat(router.bodies.cached()).isEmpty();
    assertThat(router.parts().backlog().pending()).isZero();
    for (String worker : List.of("w0", "w1", "w2")) {
      assertThat(router.parts().ledger().at(worker)).isEqualTo(Ledger.Reserved.NONE);
    }
  }
}
