package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.router.TestWorker;
import io.sluice.router.parse.ParsedRequest;
import io.sluice.router.placement.Ledger;
import io.sluice.router.request.History;
import io.sluice.router.request.RequestState;
import io.sluice.router.request.TrackedRequest;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A task begins over what another one stored, and ends without leaving a trace. */
class SchedulerRecoveryTest {
  private static final Duration A_TICK = Duration.ofMillis(20);

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @Test
  void waitingRequestsAreSentByTheNextTask() {
    // Given
    task.request(new TestRequest("r"));

    // When
    router.crash();
    router.join(new TestWorker("w1"));
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.requests()).containsExactly("r");
  }

  @Test
  void aFirstAttemptAfterARestartIsNotFreshForItMayHaveBeenSentBefore() {
    // Given
    task.request(new TestRequest("r"));

    // When
    router.crash();
    router.join(new TestWorker("w1"));
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.assigned.getFirst().lease().attempt()).isEqualTo(1);
    assertThat(task.effects.assigned.getFirst().fresh()).isFalse();
  }

  @Test
  void runningRequestsStayWithTheirWorkersAndCountInTheLedger() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    LeaseRef lease = task.start(new TestRequest("r").promptTokens(300));

    // When
    router.crash();
    task.request(new TestRequest("next"));
    router.pass(Duration.ofSeconds(3));

    // Then
    assertThat(router.parts().ledger().at("w1")).isEqualTo(new Ledger.Reserved(1, 400));
    assertThat(task.effects.requests()).containsExactly("r");
    task.outcome(lease, VirtualTask.completed());
    assertThat(task.effects.requests()).containsExactly("r", "next");
  }

  @Test
  void anAssignmentThatWasStoredButNeverSentIsGivenToSomebodyElse() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r"));

    // When
    router.crash();
    router.pass(Duration.ofMillis(6_500));

    // Then
    assertThat(task.effects.lastLease().attempt()).isEqualTo(2);
  }

  @Test
  void theRoutersErrorOutranksAnAttemptThatItsLostStateHasForgotten() {
    // Given an attempt whose worker writes already
    router.join(new TestWorker("w1"));
    InMemoryRequestStore before = task.store.copy();
    TestRequest request = new TestRequest("r");
    LeaseRef running = task.start(request);

    // When nothing of it had reached the changelog, and the request comes again and is cancelled
    task.store.goBackTo(before);
    router.leave("w1");
    router.crash();
    task.request(request.fresh(false));
    task.control(new Control.Cancel("r"));

    // Then
    assertThat(task.effects.terminals.getLast().lease().attempt()).isGreaterThan(running.attempt());
  }

  @Test
  void aTransitionThatWasLostIsMadeUpForByTheWorkersReport() {
    // Given: the worker has the request, but the store has fallen back to before it was sent
    TrackedRequest before =
        new TrackedRequest(
            new TestRequest("r").metadata(),
            History.NONE,
            new RequestState.Pending(0, Optional.empty()));
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r"));
    LeaseRef lease = task.effects.lastLease();
    task.store.restore("r", before.toBytes());
    router.crash();

    // When
    task.outcome(lease, new Outcome.Accepted());
    router.pass(A_TICK);

    // Then
    assertThat(task.state("r")).isEqualTo(new RequestState.Leased(lease));
    assertThat(task.effects.assigned).hasSize(1);
  }

  @Test
  void aRedeliveredRequestIsRecognised() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r"));

    // When
    router.crash();
    task.request(new TestRequest("r"));

    // Then
    assertThat(task.effects.log).containsExactly("assign");
  }

  @Test
  void aTerminalRecordOnItsWayIsSentAgainOnce() {
    // Given
    task.request(new TestRequest("r"));
    task.control(new Control.Cancel("r"));

    // When
    router.crash();
    router.pass(Duration.ofSeconds(5));

    // Then
    assertThat(task.effects.terminals).hasSize(2);
    assertThat(task.effects.terminals)
        .extracting(RecordedEffects.Terminal::lease)
        .containsOnly(task.effects.terminals.getFirst().lease());
    assertThat(task.effects.terminals.getLast().code()).isEqualTo("cancelled");
  }

  @Test
  void aDeadLetterThatMayNotHaveBeenSentIsSentAgainWithItsAnswer() {
    // Given
    TestRequest request = new TestRequest("r");
    ParsedRequest refused = request.refused(ErrorKind.INVALID_REQUEST);
    task.scheduler().request(refused, request.body(), router.now());
    task.effects.clear();

    // When
    router.crash();

    // Then
    assertThat(task.effects.terminals).hasSize(1);
    RecordedEffects.DeadLetter letter = task.effects.deadLetters.getFirst();
    assertThat(letter.kind()).isEqualTo(ErrorKind.INVALID_REQUEST);
    assertThat(letter.message()).isEqualTo("it is wrong");
    assertThat(letter.body().value()).isEqualTo(request.body().value());
  }

  @Test
  void anAcknowledgedTerminalRecordIsNotSentAgain() {
    // Given
    task.request(new TestRequest("r"));
    task.control(new Control.Cancel("r"));
    task.endWritten("r");
    task.effects.clear();

    // When
    router.crash();
    router.pass(Duration.ofSeconds(5));

    // Then
    assertThat(task.effects.log).isEmpty();
    assertThat(task.stateName("r")).isEqualTo("ended");
  }

  @Test
  void aTerminalRecordThatCouldNotBeWrittenIsSentAgainASecondLater() {
    // Given
    task.request(new TestRequest("r"));
    task.control(new Control.Cancel("r"));

    // When
    task.endNotWritten("r");
    router.pass(Duration.ofMillis(980));
    int early = task.effects.terminals.size();
    router.pass(Duration.ofMillis(40));
    int later = task.effects.terminals.size();
    router.pass(Duration.ofSeconds(5));

    // Then
    assertThat(early).isEqualTo(1);
    assertThat(later).isEqualTo(2);
    assertThat(task.effects.terminals).hasSize(2);
  }

  @Test
  void deadlinesHoldOverARestart() {
    // Given
    task.request(new TestRequest("r").deadlineMillis(10_000));

    // When
    router.crash();
    router.pass(Duration.ofSeconds(10), Duration.ofMillis(100));

    // Then
    assertThat(task.effects.log).contains("terminal:deadline_exceeded");
  }

  @Test
  void aBackoffHoldsOverARestart() {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef lease = task.start(new TestRequest("r"));
    task.outcome(lease, new Outcome.Superseded());
    task.effects.clear();

    // When
    router.crash();
    router.pass(Duration.ofMillis(180));
    boolean waited = task.effects.assigned.isEmpty();
    router.pass(Duration.ofMillis(60));

    // Then
    assertThat(waited).isTrue();
    assertThat(task.effects.lastLease().attempt()).isEqualTo(2);
  }

  @Test
  void whatHasEndedIsForgottenInItsTimeAlsoAfterARestart() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r"));
    task.outcome(task.effects.lastLease(), VirtualTask.completed());

    // When
    router.crash();
    router.pass(Duration.ofMinutes(62), Duration.ofMillis(500));

    // Then
    assertThat(task.stateName("r")).isEqualTo("unknown");
  }

  @Test
  void whatEndedBeforeALongOutageIsStillKnownWhenItsRecordComesAgain() {
    // Given
    router.join(new TestWorker("w1"));
    TestRequest request = new TestRequest("r");
    task.request(request);
    task.outcome(task.effects.lastLease(), VirtualTask.completed());
    task.scheduler().close();
    router.freeze(Duration.ofHours(3));

    // When
    router.crash();
    router.pass(Duration.ofSeconds(10));
    task.effects.clear();
    task.request(request);

    // Then
    assertThat(task.effects.terminals).isEmpty();
    assertThat(task.effects.deadLetters).isEmpty();
    router.pass(Duration.ofMinutes(10), Duration.ofMillis(500));
    assertThat(task.stateName("r")).isEqualTo("unknown");
  }

  @Test
  void aClosedTaskLeavesNothingInTheLedgerOrTheBacklog() {
    // Given
    router.join(new TestWorker("w1").slots(2));
    task.start(new TestRequest("running"));
    task.request(new TestRequest("sent"));
    task.request(new TestRequest("waiting"));
    task.request(new TestRequest("bulk").priority(Priority.BULK));

    // When
    task.scheduler().close();

    // Then
    assertThat(router.parts().ledger().at("w1")).isEqualTo(Ledger.Reserved.NONE);
    assertThat(router.parts().backlog().pending()).isZero();
    assertThat(router.parts().backlog().pendingBulk()).isZero();
  }

  @Test
  void aClosedTaskTakesNothingOfItsNeighboursAway() {
    // Given
    VirtualTask neighbour = router.settledTask();
    router.join(new TestWorker("w1").slots(2));
    task.request(new TestRequest("mine"));
    neighbour.request(new TestRequest("its-own"));
    neighbour.request(new TestRequest("waiting"));

    // When
    task.scheduler().close();
    task.scheduler().close();

    // Then
    assertThat(router.parts().ledger().at("w1").leases()).isEqualTo(1);
    assertThat(router.parts().backlog().pending()).isEqualTo(1);
  }
}
