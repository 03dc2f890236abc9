package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.reply.ReplyPointer;
import io.sluice.router.TestWorker;
import io.sluice.router.parse.ParsedRequest;
import io.sluice.router.request.EarlyControlIds;
import io.sluice.router.request.EndedRequest;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.schedule.RecordedEffects.DeadLetter;
import io.sluice.router.schedule.RecordedEffects.Pointer;
import io.sluice.router.schedule.RecordedEffects.Terminal;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchedulerAdmissionTest {
  private final VirtualRouter router = new VirtualRouter(3);
  private final VirtualTask task = router.settledTask();

  @Test
  void aRequestGoesToAWorkerAtOnceWithEverythingTheWorkerMustKnow() {
    // Given
    router.join(new TestWorker("w1").incarnation("boot-7"));
    TestRequest request = new TestRequest("r");

    // When
    task.request(request);

    // Then
    Assignment assignment = task.effects.assigned.getFirst();
    assertThat(assignment.lease().requestId()).isEqualTo("r");
    assertThat(assignment.lease().attempt()).isEqualTo(1);
    assertThat(assignment.lease().worker()).isEqualTo("w1");
    assertThat(assignment.lease().incarnation()).isEqualTo("boot-7");
    assertThat(assignment.router()).isEqualTo("router");
    assertThat(assignment.fresh()).isTrue();
    assertThat(assignment.foldFromOffset()).isEmpty();
    assertThat(assignment.replyTo()).isEqualTo(request.metadata().replyTo());
    assertThat(assignment.remainingMillis())
        .isEqualTo(request.metadata().deadlineEpochMillis() - router.now().epochMillis());
    assertThat(router.events.log).containsExactly("received r", "assigned r to w1 attempt 1");
  }

  @Test
  void aRequestThatMayHaveBeenWorkedOnBeforeIsNotCalledFresh() {
    // Given
    router.join(new TestWorker("w1"));

    // When
    task.request(new TestRequest("r").fresh(false));

    // Then
    assertThat(task.effects.assigned.getFirst().fresh()).isFalse();
  }

  @Test
  void aRepeatIsToldWhereTheAnswerIsAndNothingRunsTwice() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r").at(1));
    ReplyAddress elsewhere = new ReplyAddress("sluice.replies.service", 5);

    // When
    task.request(new TestRequest("r").at(2).replyTo(elsewhere));

    // Then
    assertThat(task.effects.pointers)
        .containsExactly(new Pointer("r", elsewhere, answerOfR(OptionalLong.empty())));
    assertThat(task.effects.assigned).hasSize(1);
    assertThat(router.events.log).last().isEqualTo("repeated r");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRepeatToTheSameAddressIsToldFromWhereToRead(boolean isOver) {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r").at(1));
    LeaseRef lease = task.effects.lastLease();
    task.outcome(
        lease,
        new Outcome.Started("sluice.replies", 2, 41, OptionalLong.empty(), OptionalInt.empty()));
    if (isOver) {
      task.outcome(lease, new Outcome.Completed("stop", 1, 1, 1));
    }

    // When
    task.request(new TestRequest("r").at(2));

    // Then
    ReplyAddress same = new TestRequest("r").metadata().replyTo();
    assertThat(task.effects.pointers)
        .containsExactly(new Pointer("r", same, answerOfR(OptionalLong.of(41))));
    assertThat(task.effects.assigned).hasSize(1);
  }

  @Test
  void aRecordThatIsReadAgainIsNotARepeat() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r").at(1));

    // When
    task.request(new TestRequest("r").at(1));

    // Then
    assertThat(task.effects.log).containsExactly("assign");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anotherTenantsRequestOfTheSameIdIsRefusedAndNotToldOfTheAnswer(boolean isOver) {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("1").tenant("a").at(1));
    if (isOver) {
      task.outcome(task.effects.lastLease(), new Outcome.Completed("stop", 1, 1, 1));
    }

    // When
    task.request(new TestRequest("1").tenant("b").at(2));
    task.request(new TestRequest("1").tenant("a").at(3));

    // Then
    assertThat(task.effects.log).containsExactly("assign", "id-in-use", "pointer");
    assertThat(task.effects.inUse.getFirst().refused().tenant()).isEqualTo("b");
    assertThat(task.effects.pointers).hasSize(1);
  }

  private static ReplyPointer answerOfR(OptionalLong offset) {
    RequestMetadata metadata = new TestRequest("r").metadata();
    return new ReplyPointer(
        metadata.replyTo(), offset, OptionalLong.of(metadata.appendTimeMillis()));
  }

  @Test
  void aRefusedRequestIsAnsweredAndKeptForOperators() {
    // Given
    TestRequest request = new TestRequest("r");

    // When
    task.scheduler()
        .request(request.refused(ErrorKind.MODEL_NOT_FOUND), request.body(), router.now());

    // Then
    Terminal terminal = task.effects.terminals.getFirst();
    assertThat(terminal.code()).isEqualTo("model_not_found");
    assertThat(terminal.lease().attempt()).isGreaterThan(0);
    DeadLetter letter = task.effects.deadLetters.getFirst();
    assertThat(letter.kind()).isEqualTo(ErrorKind.MODEL_NOT_FOUND);
    assertThat(letter.message()).isEqualTo("it is wrong");
    assertThat(letter.body().value()).isEqualTo(request.body().value());
  }

  @Test
  void aRefusedRequestThatIsRedeliveredIsNotAnsweredAgain() {
    // Given
    TestRequest request = new TestRequest("r");
    ParsedRequest refused = request.refused(ErrorKind.INVALID_REQUEST);
    task.scheduler().request(refused, request.body(), router.now());
    task.endWritten("r");
    task.effects.clear();

    // When
    task.scheduler().request(refused, request.body(), router.now());

    // Then
    assertThat(task.effects.log).isEmpty();
    assertThat(router.bodies.cached()).isEmpty();
  }

  @Test
  void aCancelThatOvertookItsRequestCounts() {
    // Given
    router.join(new TestWorker("w1"));
    task.control(new Control.Cancel("r"));

    // When
    task.request(new TestRequest("r"));

    // Then
    assertThat(task.effects.log).containsExactly("terminal:cancelled");
  }

  @Test
  void aCancelThatOvertookItsRequestOutlivesTheTask() {
    // Given
    router.join(new TestWorker("w1"));
    task.control(new Control.Cancel("r"));

    // When
    task.begin();
    task.request(new TestRequest("r"));

    // Then
    assertThat(task.effects.log).containsExactly("terminal:cancelled");
    assertThat(task.stateName("r")).isEqualTo("ending");
  }

  @Test
  void whoFeedsBulkHearsOfACancelThatOvertookItsRequestFromEachTaskThatKeepsIt() {
    // Given
    long id = EarlyControlIds.hash("r");
    task.control(new Control.Cancel("r"));
    boolean atFirst = router.parts().earlyControlIds().isCancelled(VirtualTask.PARTITION, id);
    task.scheduler().close();
    boolean afterwards = router.parts().earlyControlIds().isCancelled(VirtualTask.PARTITION, id);

    // When
    task.begin();

    // Then
    assertThat(atFirst).isTrue();
    assertThat(afterwards).isFalse();
    assertThat(router.parts().earlyControlIds().isCancelled(VirtualTask.PARTITION, id)).isTrue();
  }

  @Test
  void aCancelledRequestThatIsLetInAgainUntilAnHourAfterItsDeadlineIsNotEndedAgain() {
    // Given
    Duration time = Duration.ofHours(20);
    task.control(new Control.Cancel("r"));
    task.request(new TestRequest("r").at(1).deadlineMillis(time.toMillis()));
    task.endWritten("r");
    task.effects.clear();

    // When another router feeds its partition
    router.pass(time.plusMinutes(58), Duration.ofMinutes(1));
    router.crash();
    task.request(new TestRequest("r").at(2).deadlineMillis(time.toMillis()));

    // Then
    assertThat(task.effects.log).containsExactly("pointer");
  }

  @Test
  void aCancelThatOvertookABadRequestLeavesNothingBehind() {
    // Given
    task.control(new Control.Cancel("r"));
    TestRequest request = new TestRequest("r");
    task.scheduler()
        .request(
            new ParsedRequest.Refused(request.metadata(), ErrorKind.INVALID_REQUEST, "bad"),
            request.body(),
            router.now());

    // When
    router.pass(EarlyControls.LONGEST_KEPT.minusHours(2), Duration.ofMinutes(1));

    // Then
    assertThat(task.stateName("r")).isEqualTo("ending");
  }

  @Test
  void aCancelWhoseRequestDoesNotComeIsForgottenByLaterTasksToo() {
    // Given
    task.control(new Control.Cancel("r"));
    task.begin();

    // When
    router.pass(EarlyControls.KEPT.plusSeconds(1), Duration.ofMillis(500));

    // Then
    assertThat(task.stateName("r")).isEqualTo("unknown");
  }

  @Test
  void aRequestWhoseDeadlineHasPassedWhenItArrivesIsNotStarted() {
    // Given
    router.join(new TestWorker("w1"));

    // When
    task.request(new TestRequest("r").deadlineMillis(router.elapsedMillis()));

    // Then
    assertThat(task.effects.log)
        .containsExactly("dead-letter:deadline_exceeded", "terminal:deadline_exceeded");
  }

  @Test
  void aRequestBeyondTheLimitOfWaitingOnesIsRefusedAsOverloaded() {
    // Given
    task.request(new TestRequest("a"));
    task.request(new TestRequest("b"));
    task.request(new TestRequest("c"));

    // When
    task.request(new TestRequest("d"));

    // Then
    assertThat(task.effects.log).containsExactly("terminal:overloaded");
    assertThat(router.parts().backlog().pending()).isEqualTo(3);
    assertThat(router.events.log).last().isEqualTo("refused d overloaded");
  }

  @Test
  void whatWaitsBehindANextTryDoesNotCountAsWaiting() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("a"));

    // When
    task.outcome(task.effects.lastLease(), TestWorker.busy(1_000));

    // Then
    assertThat(task.stateName("a")).isEqualTo("pending");
    assertThat(router.parts().backlog().pending()).isZero();
  }

  @Test
  void anEndedRequestIsForgottenAnHourAfterItsDeadline() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r").deadlineMillis(60_000));
    task.outcome(task.effects.lastLease(), VirtualTask.completed());

    // When
    router.pass(Duration.ofMinutes(60), Duration.ofMillis(500));
    String beforeItsTime = task.stateName("r");
    router.pass(Duration.ofMinutes(1), Duration.ofMillis(500));

    // Then
    assertThat(beforeItsTime).isEqualTo("ended");
    assertThat(task.stateName("r")).isEqualTo("unknown");
  }

  @Test
  void anEndedRequestWithAnAbsurdDeadlineIsNotRememberedForEver() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r").deadlineMillis(Duration.ofDays(3_000).toMillis()));

    // When
    task.outcome(task.effects.lastLease(), VirtualTask.completed());

    // Then
    EndedRequest ended = (EndedRequest) task.store.find("r").orElseThrow();
    long forgetAt = ended.forgetAtMillis();
    assertThat(forgetAt).isEqualTo(router.now().epochMillis() + Duration.ofHours(25).toMillis());
  }
}
