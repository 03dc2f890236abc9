package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.AttemptEnd.Reason;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.router.TestWorker;
import io.sluice.router.lease.LeaseWatch;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A prompt kills the process of every worker that it comes to, or merely shares one. */
class WorkerDeathsTest {
  private static final Duration SILENCE = Duration.ofMillis(1_800);
  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();
  private int incarnations;

  @BeforeEach
  void join() {
    for (String worker : List.of("w1", "w2", "w3", "w4", "w5")) {
      router.join(new TestWorker(worker));
    }
  }

  @Test
  void aRequestAtWhichTwoWorkersDiedEndsWithAClearErrorAndADeadLetter() {
    // Given
    task.request(new TestRequest("r"));

    // When
    die(accepted());
    String afterOne = task.stateName("r");
    die(accepted());

    // Then
    assertThat(afterOne).isEqualTo("leased");
    assertThat(task.effects.assigned).hasSize(2);
    assertThat(task.effects.terminals.getFirst().code()).isEqualTo("worker_lost");
    var letter = task.effects.deadLetters.getFirst();
    assertThat(letter.message()).contains("2 workers or their engines died");
    assertThat(letter.history().last())
        .extracting(attempt -> attempt.end().reason())
        .containsExactly(Reason.DIED, Reason.DIED);
  }

  @Test
  void aDeathIsNotForgottenForWhatIsHandedBackAfterIt() {
    // Given
    task.request(new TestRequest("r"));
    die(accepted());

    // When
    for (int i = 0; i < 30; i++) {
      task.outcome(task.effects.lastLease(), new Outcome.Returned(Outcome.ReturnReason.NO_SLOT, 0));
      router.pass(Duration.ofMillis(1_200));
    }
    die(accepted());

    // Then
    assertThat(task.effects.terminals.getFirst().code()).isEqualTo("worker_lost");
  }

  @Test
  void aWorkerThatCameBackAsAnotherDiedToo() {
    // Given
    task.request(new TestRequest("r"));

    // When
    restart(accepted());
    restart(accepted());

    // Then
    assertThat(task.effects.terminals.getFirst().code()).isEqualTo("worker_lost");
  }

  @Test
  void aTokenClearsTheRequest() {
    // Given
    task.request(new TestRequest("r"));
    die(accepted());
    LeaseRef second = accepted();
    task.outcome(second, VirtualTask.started(10));
    die(second);

    // When
    die(accepted());

    // Then
    assertThat(task.effects.terminals).isEmpty();
    assertThat(task.stateName("r")).isEqualTo("leased");
    assertThat(task.history("r").deaths()).isOne();
  }

  @Test
  void tokensThatTheNextWorkerFindsInTheLogClearTheRequestOnce() {
    // Given
    task.request(new TestRequest("r"));
    die(accepted());

    // When
    LeaseRef second = accepted();
    task.outcome(second, new Outcome.Progress(1));
    boolean isSuspectThen = router.parts().ledger().suspects().containsValue("r");
    die(second);
    int deathsAfterTokens = task.history("r").deaths();
    LeaseRef third = accepted();
    task.outcome(third, new Outcome.Progress(1));
    die(third);

    // Then
    assertThat(isSuspectThen).isFalse();
    assertThat(deathsAfterTokens).isOne();
    assertThat(task.effects.terminals.getFirst().code()).isEqualTo("worker_lost");
  }

  @Test
  void whatDoesNotProveADeathIsNotCounted() {
    // Given
    task.request(new TestRequest("r"));

    // When
    LeaseRef neverAccepted = task.effects.lastLease();
    die(neverAccepted);
    LeaseRef signedOff = accepted();
    router.leave(signedOff.worker());
    router.pass(Duration.ofMillis(40));
    router.join(new TestWorker(signedOff.worker()).incarnation("next"));
    LeaseRef withMost = accepted();
    List<String> silent = List.of("w1", "w2", "w3", "w4", "w5");
    silent.forEach(router::silence);
    keepAlive(withMost, Duration.ofMillis(3_200));
    silent.forEach(router::wake);
    router.pass(Duration.ofMillis(500));

    // Then
    assertThat(task.history("r").attempts()).isGreaterThanOrEqualTo(4);
    assertThat(task.history("r").deaths()).isZero();
  }

  @Test
  void aRouterThatWasItselfAwayProvesNothing() {
    // Given
    task.request(new TestRequest("r"));
    LeaseRef lease = accepted();
    router.silence(lease.worker());

    // When
    router.freeze(Duration.ofSeconds(2));
    router.pass(Duration.ofMillis(2_400));

    // Then
    assertThat(router.events.log).contains("requeued r worker_silent");
    assertThat(task.history("r").deaths()).isZero();
  }

  @Test
  void aDeathThatProvedNothingAtFirstCountsOnceItsWorkerHasStartedAgain() {
    // Given
    task.request(new TestRequest("r"));
    LeaseRef first = accepted();
    router.silence(first.worker());
    router.freeze(Duration.ofSeconds(2));
    router.pass(Duration.ofMillis(2_400));
    int deathsBefore = task.history("r").deaths();

    // When
    restart(first);
    restart(accepted());

    // Then
    assertThat(deathsBefore).isZero();
    assertThat(task.effects.assigned).hasSize(2);
    assertThat(task.effects.terminals.getFirst().code()).isEqualTo("worker_lost");
  }

  @Test
  void aRouterThatWasAwayStillKnowsThatAWorkerHadTheRequestWhenItComesBackAsAnother() {
    // Given
    task.request(new TestRequest("r"));
    restart(accepted());
    LeaseRef second = accepted();
    router.freeze(Duration.ofSeconds(2));

    // When
    restart(second);
    router.pass(LeaseWatch.SETTLE);

    // Then
    assertThat(task.effects.terminals.getFirst().code()).isEqualTo("worker_lost");
  }

  @Test
  void noThirdWorkerIsTriedBeforeItIsCertainWhatBecameOfTheSecond() {
    // Given
    task.request(new TestRequest("r"));
    restart(accepted());
    LeaseRef second = accepted();
    router.silence(second.worker());

    // When
    router.freeze(Duration.ofSeconds(2));
    router.pass(Duration.ofSeconds(6));
    List<String> whileUncertain = List.copyOf(task.effects.workers());
    router.wake(second.worker());
    router.pass(Duration.ofSeconds(7));

    // Then
    assertThat(whileUncertain).hasSize(2);
    assertThat(task.effects.terminals).isEmpty();
  }

  @Test
  void whoIsHeardOfAgainWhileTheNextFateIsOpenHadNotDiedEither() {
    // Given
    task.request(new TestRequest("r"));
    LeaseRef first = accepted();
    router.silence(first.worker());
    router.pass(SILENCE);
    int deathsBefore = task.history("r").deaths();
    LeaseRef second = accepted();
    router.silence(second.worker());

    // When
    router.freeze(Duration.ofSeconds(2));
    router.wake(first.worker());
    router.pass(LeaseWatch.SETTLE.plusMillis(500));

    // Then
    assertThat(deathsBefore).isOne();
    assertThat(task.history("r").deaths()).isZero();
    assertThat(task.effects.terminals).isEmpty();
  }

  @Test
  void aWorkerThatStaysSilentIsTakenForDeadInTheEnd() {
    // Given
    task.request(new TestRequest("r"));
    restart(accepted());
    router.silence(accepted().worker());

    // When
    router.freeze(Duration.ofSeconds(2));
    router.pass(LeaseWatch.SETTLE.plus(WorkerDeaths.CERTAIN_WITHIN).plusSeconds(1));

    // Then
    assertThat(task.effects.terminals.getFirst().code()).isEqualTo("worker_lost");
    assertThat(task.effects.assigned).hasSize(2);
  }

  @Test
  void aWorkerThatIsHeardOfAgainHadNotDied() {
    // Given
    task.request(new TestRequest("r"));
    LeaseRef first = accepted();
    router.silence(first.worker());
    router.pass(SILENCE);
    router.wake(first.worker());
    router.pass(Duration.ofMillis(500));

    // When
    die(accepted());

    // Then
    assertThat(task.effects.terminals).isEmpty();
    assertThat(task.history("r").deaths()).isOne();
  }

  @Test
  void aWorkerThatWasFrozenAndHasForgottenTheRequestHadNotDied() {
    // Given
    List.of("w1", "w2", "w3").forEach(w -> router.join(new TestWorker(w).incarnation(w + "-p.0")));
    List.of("w4", "w5").forEach(router::leave);
    task.request(new TestRequest("r"));

    // When
    for (int frozen = 1; frozen <= 4; frozen++) {
      LeaseRef lease = accepted();
      String process = lease.worker() + "-p.";
      router.join(new TestWorker(lease.worker()).incarnation(process + frozen));
      router.pass(Duration.ofMillis(40));
    }

    // Then
    assertThat(task.history("r").attempts()).isEqualTo(5);
    assertThat(task.history("r").deaths()).isZero();
    assertThat(task.effects.terminals).isEmpty();
  }

  @Test
  void whatDiedBeforeItsWorkerSaidAWordIsASuspectThoughItDoesNotCount() {
    // Given
    router.workers().stream().skip(1).forEach(worker -> worker.engineUp(false));
    task.request(new TestRequest("killer"));
    LeaseRef unheard = task.effects.lastLease();
    task.request(new TestRequest("innocent"));
    accepted();
    router.workers().forEach(worker -> worker.engineUp(true));
    task.effects.assigned.clear();

    // When
    die(unheard);

    // Then
    assertThat(task.effects.requests()).containsExactlyInAnyOrder("killer", "innocent");
    assertThat(task.effects.assigned).allMatch(Assignment::suspect);
    assertThat(task.effects.workers()).doesNotHaveDuplicates();
    assertThat(task.history("killer").deaths()).isZero();
    assertThat(task.history("innocent").deaths()).isOne();
  }

  @Test
  void suspectsAreKeptApartSoThatWhoKillsItsWorkerDiesOfItAlone() {
    // Given
    router.workers().stream().skip(1).forEach(worker -> worker.engineUp(false));
    for (String id : List.of("a", "b", "c")) {
      task.request(new TestRequest(id));
      accepted();
    }
    router.workers().forEach(worker -> worker.engineUp(true));
    String shared = task.effects.lastLease().worker();
    task.effects.assigned.clear();

    // When
    router.silence(shared);
    router.pass(SILENCE);

    // Then
    assertThat(task.effects.requests()).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(task.effects.assigned).allMatch(Assignment::suspect);
    assertThat(task.effects.workers()).doesNotHaveDuplicates();
  }

  @Test
  void suspectsWaitForEachOtherAndNewRequestsForTheirFirstTokens() {
    // Given
    List.of("w2", "w3", "w4", "w5").forEach(router::leave);
    router.join(new TestWorker("w1").slots(8));
    for (int i = 0; i < 8; i++) {
      task.request(new TestRequest("r" + i));
      accepted();
    }
    task.effects.assigned.clear();
    router.join(new TestWorker("w9").slots(16));

    // When
    router.silence("w1");
    router.pass(SILENCE);
    task.request(new TestRequest("next"));
    List<String> atFirst = List.copyOf(task.effects.requests());
    for (int i = 0; i < 8; i++) {
      task.effects.assigned.stream()
          .map(assignment -> assignment.lease())
          .toList()
          .forEach(lease -> task.outcome(lease, VirtualTask.started(1)));
      router.pass(Duration.ofMillis(400));
    }

    // Then
    assertThat(atFirst).hasSize(1).doesNotContain("next");
    assertThat(task.effects.requests()).hasSize(9);
    assertThat(router.parts().ledger().suspects()).isEmpty();
  }

  @Test
  void suspectsThatNoWorkerCanTakeDoNotHoldUpOthers() {
    // Given suspects of a model that has lost its only worker
    router.join(new TestWorker("rare").models("rare").slots(8));
    for (int i = 0; i < 8; i++) {
      task.request(new TestRequest("r" + i).model("rare"));
      accepted();
    }
    router.silence("rare");
    router.pass(SILENCE);
    router.leave("rare");
    task.request(new TestRequest("other"));

    // When
    die(accepted());

    // Then
    assertThat(task.effects.assigned.getLast().suspect()).isTrue();
    assertThat(task.effects.lastLease().requestId()).isEqualTo("other");
    assertThat(task.effects.lastLease().worker()).isNotEqualTo("rare");
  }

  @Test
  void aSuspectWhoseRecordIsBeingReadLeavesItsWorkerToOthers() {
    // Given bulk that is a suspect, and whose record is not at hand when one worker is left
    List.of("w2", "w3", "w4", "w5").forEach(router::leave);
    task.request(new TestRequest("killer").priority(Priority.BULK).deadlineMillis(86_400_000));
    router.bodies.slow();
    router.bodies.dropAll();
    restart(accepted());
    task.request(new TestRequest("next"));

    // When
    boolean isNextSent = task.effects.requests().contains("next");
    router.bodies.arrive();
    router.pass(Duration.ofMillis(200));

    // Then
    assertThat(isNextSent).isTrue();
    assertThat(task.effects.requests()).containsExactly("killer", "next", "killer");
  }

  private LeaseRef accepted() {
    LeaseRef lease = task.effects.lastLease();
    task.outcome(lease, new Outcome.Accepted());
    return lease;
  }

  private void die(LeaseRef lease) {
    router.silence(lease.worker());
    router.pass(SILENCE);
    router.leave(lease.worker());
    router.pass(Duration.ofMillis(40));
  }

  private void restart(LeaseRef lease) {
    router.join(new TestWorker(lease.worker()).incarnation("next" + incarnations++));
    router.pass(Duration.ofMillis(40));
  }

  private void keepAlive(LeaseRef lease, Duration duration) {
    task.outcome(lease, new Outcome.Progress(0));
    router.pass(duration);
  }
}
