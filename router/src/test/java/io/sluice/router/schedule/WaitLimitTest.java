package io.sluice.router.schedule;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.router.TestWorker;
import io.sluice.router.placement.ReservedWorkers;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestState.Ending;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nobody waits for a worker for longer than is allowed while others are served; who cannot be
 * served waits until its deadline.
 */
class WaitLimitTest {
  private static final Duration MAX_WAIT = Duration.ofSeconds(6);
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** From the first send; the first answer comes a second later. */
  private static final int SECONDS_UNTIL_REFUSED = (int) MAX_WAIT.toSeconds() + 1;

  private final VirtualRouter router = new VirtualRouter(100_000, MAX_WAIT);
  private final VirtualTask task = router.settledTask();

  @ParameterizedTest
  @EnumSource(names = {"URGENT", "INTERACTIVE"})
  void whatCameBeforeAnybodyKnewHowLongItWouldWaitIsRefusedOnceItHasWaited(Priority priority) {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(1_000, priority);
    serve(SECONDS_UNTIL_REFUSED - 1);
    int refusedBefore = task.effects.terminals.size();

    // When
    serve(1);
    router.pass(SECOND);

    // Then: those behind them do not wait for them
    assertThat(refusedBefore).isZero();
    assertThat(task.effects.terminals)
        .hasSize(1_000 - SECONDS_UNTIL_REFUSED - 1)
        .allMatch(end -> end.code().equals("overloaded"));
    assertThat(task.effects.deadLetters).isEmpty();
    assertThat(router.parts().backlog().pending()).isZero();
    task.request(new TestRequest("next").at(3_000).deadlineMillis(3_600_000));
    complete();
    assertThat(task.effects.requests()).endsWith("next");
  }

  @Test
  void whoIsRefusedIsToldToComeBackWhenAllThatWaitsNowWaitsNoMore() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(100, Priority.INTERACTIVE);

    // When
    serve(SECONDS_UNTIL_REFUSED);
    router.pass(SECOND);

    // Then
    assertThat(task.state("f99"))
        .isInstanceOfSatisfying(
            Ending.class,
            ending -> {
              assertThat(ending.kind()).isEqualTo(ErrorKind.OVERLOADED);
              assertThat(ending.retryAfterMillis()).hasValue(MAX_WAIT.toMillis());
            });
  }

  @Test
  void whatComesLaterMayWaitForAsLong() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(20, Priority.INTERACTIVE);
    serve(SECONDS_UNTIL_REFUSED - 2);

    // When
    task.request(new TestRequest("late").at(3_000).deadlineMillis(3_600_001));
    serve(2);
    router.pass(SECOND);

    // Then
    assertThat(task.effects.terminals).isNotEmpty();
    assertThat(task.stateName("late")).isNotEqualTo("ending");
  }

  @Test
  void aRequestThatNoWorkerServesWaitsUntilItsDeadline() {
    // Given
    task.request(new TestRequest("r").deadlineMillis(60_000));

    // When
    router.pass(Duration.ofSeconds(50));

    // Then
    assertThat(task.stateName("r")).isEqualTo("pending");
  }

  @Test
  void whatWaitedForTheFirstWorkerIsServedByIt() {
    // Given
    flood(SECONDS_UNTIL_REFUSED, Priority.INTERACTIVE);
    router.pass(MAX_WAIT.multipliedBy(5));

    // When
    router.join(new TestWorker("w1").slots(1));
    router.pass(SECOND);
    serve(SECONDS_UNTIL_REFUSED);

    // Then
    assertThat(task.effects.terminals).isEmpty();
    assertThat(task.effects.assigned).hasSize(SECONDS_UNTIL_REFUSED);
  }

  @Test
  void timeInWhichThereIsNoWorkerDoesNotCount() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(100, Priority.INTERACTIVE);
    serve(SECONDS_UNTIL_REFUSED - 1);

    // When
    router.leave("w1");
    router.pass(MAX_WAIT.multipliedBy(5));
    router.join(new TestWorker("w1").slots(1).incarnation("second"));
    router.pass(SECOND);
    serve(SECONDS_UNTIL_REFUSED - 1);
    int refusedBefore = task.effects.terminals.size();
    serve(1);
    router.pass(SECOND);

    // Then
    assertThat(refusedBefore).isZero();
    assertThat(task.effects.terminals).isNotEmpty();
  }

  @Test
  void whileWorkersOnlyEndWhatTheyHaveNothingIsRefused() {
    // Given
    TestWorker worker = router.join(new TestWorker("w1").slots(20));
    flood(100, Priority.INTERACTIVE);
    List<LeaseRef> running =
        task.effects.assigned.stream().map(assignment -> assignment.lease()).toList();
    running.forEach(lease -> task.outcome(lease, new Outcome.Accepted()));
    worker.draining(true);

    // When
    for (LeaseRef lease : running) {
      router.pass(SECOND);
      task.outcome(lease, VirtualTask.completed());
      running.forEach(other -> task.outcome(other, new Outcome.Progress(1)));
    }

    // Then
    assertThat(running).hasSize(20);
    assertThat(task.effects.terminals).isEmpty();
    assertThat(router.parts().backlog().pending()).isEqualTo(80);
  }

  @Test
  void whileNothingIsAnsweredNothingIsRefused() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(100, Priority.INTERACTIVE);

    // When
    for (int i = 0; i < 3 * SECONDS_UNTIL_REFUSED; i++) {
      router.pass(SECOND);
      task.outcome(task.effects.lastLease(), TestWorker.busy(60_000));
    }

    // Then
    assertThat(task.effects.assigned).hasSizeGreaterThan(SECONDS_UNTIL_REFUSED);
    assertThat(task.effects.terminals).isEmpty();
  }

  @Test
  void whatNoWorkerThatIsKnownCouldTakeWaitsForAnother() {
    // Given
    router.join(new TestWorker("w1").slots(1).maxModelLen(1_000));
    flood(100, Priority.INTERACTIVE);
    task.request(new TestRequest("large").at(3_000).promptTokens(5_000).deadlineMillis(3_600_000));

    // When
    serve(3 * SECONDS_UNTIL_REFUSED);

    // Then
    assertThat(task.effects.terminals).isNotEmpty();
    assertThat(task.stateName("large")).isEqualTo("pending");
  }

  @Test
  void whatHoldsAWorkerWaitsForIt() {
    // Given
    for (String id : List.of("w1", "w2")) {
      router.join(new TestWorker(id).slots(2).tokenBudget(1_000));
    }
    List<LeaseRef> long1And2 = List.of(start("long1", 400), start("long2", 400));
    task.request(new TestRequest("large").at(1).promptTokens(700).deadlineMillis(3_600_000));
    flood(100, Priority.INTERACTIVE);

    // When
    for (int i = 0; i < 3 * SECONDS_UNTIL_REFUSED; i++) {
      serve(1);
      long1And2.forEach(lease -> task.outcome(lease, new Outcome.Progress(1)));
    }

    // Then
    assertThat(task.effects.terminals).isNotEmpty();
    assertThat(new ReservedWorkers(router.parts().ledger()).workerFor("large")).isPresent();
    assertThat(task.stateName("large")).isEqualTo("pending");
  }

  @Test
  void bulkMayWaitHoweverLittleTimeItHasLeft() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(100, Priority.INTERACTIVE);
    task.request(
        new TestRequest("deadline-critical")
            .at(3_000)
            .priority(Priority.BULK)
            .deadlineMillis(50_000));
    task.request(
        new TestRequest("patient").at(3_001).priority(Priority.BULK).deadlineMillis(3_600_000));
    router.pass(SECOND);
    boolean isPromoted =
        task.store.get("deadline-critical").orElseThrow().metadata().priority()
            == Priority.INTERACTIVE;
    flood(100, Priority.URGENT);

    // When
    serve(SECONDS_UNTIL_REFUSED);
    router.pass(SECOND);

    // Then
    assertThat(isPromoted).isTrue();
    assertThat(task.effects.terminals).isNotEmpty();
    assertThat(task.stateName("deadline-critical")).isNotEqualTo("ending");
    assertThat(task.stateName("patient")).isEqualTo("pending");
  }

  @Test
  void whatWasWithAWorkerBeforeIsNotRefusedForItsWait() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    task.request(new TestRequest("begun").deadlineMillis(3_600_000));
    flood(100, Priority.INTERACTIVE);
    task.outcome(task.effects.lastLease(), TestWorker.busy(60_000));

    // When
    serve(2 * SECONDS_UNTIL_REFUSED);

    // Then
    assertThat(task.effects.terminals)
        .isNotEmpty()
        .noneMatch(end -> end.metadata().requestId().equals("begun"));
  }

  @Test
  void whatARouterTakesOverItServes() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(100, Priority.INTERACTIVE);
    serve(SECONDS_UNTIL_REFUSED - 1);

    // When
    router.crash();
    router.pass(Duration.ofSeconds(3));
    serve(3 * SECONDS_UNTIL_REFUSED);

    // Then
    assertThat(task.effects.terminals).isEmpty();
  }

  /** A dead letter that is sent again, and bulk that was promoted before it came. */
  @ParameterizedTest
  @ValueSource(strings = {HeaderNames.REDRIVE_OF, HeaderNames.PROMOTED})
  void whatIsMarkedMayWait(String mark) {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(100, Priority.INTERACTIVE);
    var marked = new RecordHeaders().add(mark, "1".getBytes(UTF_8));
    TestRequest again = new TestRequest("again").at(3_000).deadlineMillis(3_600_001);

    // When
    task.scheduler()
        .request(again.accepted(), new RequestBody(marked, again.body().value()), router.now());
    serve(SECONDS_UNTIL_REFUSED);
    router.pass(SECOND);

    // Then
    assertThat(task.effects.terminals).isNotEmpty();
    assertThat(task.stateName("again")).isNotEqualTo("ending");
  }

  @Test
  void whoAsksForMoreTimeMayWait() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(100, Priority.INTERACTIVE);

    // When
    task.control(new Control.Extend("f99", VirtualRouter.START_EPOCH_MILLIS + 7_200_000));
    serve(SECONDS_UNTIL_REFUSED);
    router.pass(SECOND);

    // Then
    assertThat(task.effects.terminals).isNotEmpty();
    assertThat(task.stateName("f99")).isNotEqualTo("ending");
  }

  private LeaseRef start(String id, long promptTokens) {
    return task.start(
        new TestRequest(id).promptTokens(promptTokens - 100).deadlineMillis(3_600_000));
  }

  private void flood(int requests, Priority priority) {
    for (int i = 0; i < requests; i++) {
      task.request(
          new TestRequest(priority == Priority.INTERACTIVE ? "f" + i : "u" + i)
              .at(i)
              .priority(priority)
              .deadlineMillis(3_600_000));
    }
  }

  /** One answer every second. */
  private void serve(int requests) {
    for (int i = 0; i < requests; i++) {
      router.pass(SECOND);
      complete();
    }
  }

  private void complete() {
    task.outcome(task.effects.lastLease(), VirtualTask.completed());
  }
}
