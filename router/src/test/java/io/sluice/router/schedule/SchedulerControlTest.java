package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.router.TestWorker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What callers ask of requests on their way, and deadlines. */
class SchedulerControlTest {
  private static final Duration A_TICK = Duration.ofMillis(20);

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @Test
  void aCancelledWaitingRequestIsAnsweredAndLeavesTheQueue() {
    // Given
    task.request(new TestRequest("r"));

    // When
    task.control(new Control.Cancel("r"));
    router.join(new TestWorker("w1"));
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.log).containsExactly("terminal:cancelled");
    assertThat(router.parts().backlog().pending()).isZero();
  }

  @Test
  void aCancelledRunningRequestIsTakenFromItsWorkerAndAnsweredAboveItsAttempt() {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef lease = task.start(new TestRequest("r"));

    // When
    task.control(new Control.Cancel("r"));

    // Then
    assertThat(task.effects.revoked).containsExactly(lease);
    assertThat(task.effects.terminals.getFirst().lease().attempt()).isGreaterThan(lease.attempt());
    assertThat(router.parts().ledger().at("w1").leases()).isZero();
  }

  @Test
  void aCancelAfterTheEndChangesNothing() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r"));
    task.outcome(task.effects.lastLease(), VirtualTask.completed());
    task.effects.clear();

    // When
    task.control(new Control.Cancel("r"));

    // Then
    assertThat(task.effects.log).isEmpty();
  }

  @Test
  void anExtendedRequestWaitsLonger() {
    // Given
    task.request(new TestRequest("r").deadlineMillis(10_000));

    // When
    task.control(new Control.Extend("r", VirtualRouter.START_EPOCH_MILLIS + 20_000));
    router.pass(Duration.ofSeconds(15), Duration.ofMillis(100));
    String afterTheOldDeadline = task.stateName("r");
    router.pass(Duration.ofSeconds(5), Duration.ofMillis(100));

    // Then
    assertThat(afterTheOldDeadline).isEqualTo("pending");
    assertThat(task.effects.log)
        .containsExactly("dead-letter:deadline_exceeded", "terminal:deadline_exceeded");
  }

  @Test
  void aRequestIsExtendedThoughItComesAfterTheWordAndATaskEndedBetween() {
    // Given
    task.control(new Control.Extend("r", VirtualRouter.START_EPOCH_MILLIS + 20_000));
    task.begin();

    // When
    task.request(new TestRequest("r").deadlineMillis(600_000));
    router.pass(Duration.ofSeconds(21), Duration.ofMillis(100));

    // Then
    assertThat(task.effects.log)
        .containsExactly("dead-letter:deadline_exceeded", "terminal:deadline_exceeded");
  }

  @Test
  void aRequestOvertakesThoughItComesAfterTheWordThatItIsUrgent() {
    // Given
    task.control(new Control.Reprioritise("second", Priority.URGENT));
    task.request(new TestRequest("first").at(1));
    task.request(new TestRequest("second").at(2));

    // When
    router.join(new TestWorker("w1"));
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.requests()).containsExactly("second", "first");
  }

  @Test
  void aDeadlineMovedIntoThePastEndsTheRequestAtOnce() {
    // Given
    task.request(new TestRequest("r"));

    // When
    task.control(new Control.Extend("r", VirtualRouter.START_EPOCH_MILLIS + 1));

    // Then
    assertThat(task.effects.log).contains("terminal:deadline_exceeded");
  }

  @Test
  void aWorkerIsToldTheExtendedDeadline() {
    // Given
    task.request(new TestRequest("r"));
    long extended = VirtualRouter.START_EPOCH_MILLIS + 90_000;

    // When
    task.control(new Control.Extend("r", extended));
    router.join(new TestWorker("w1"));
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.assigned.getFirst().remainingMillis())
        .isEqualTo(extended - router.now().epochMillis());
  }

  @Test
  void theWorkerOfARunningRequestIsToldWhatChanges() {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef lease = task.start(new TestRequest("r"));
    long extended = VirtualRouter.START_EPOCH_MILLIS + 90_000;

    // When
    task.control(new Control.Extend("r", extended));
    task.control(new Control.Reprioritise("r", Priority.URGENT));

    // Then
    long remaining = extended - router.now().epochMillis();
    assertThat(task.effects.amended)
        .containsExactly(
            new Amendment(lease, Priority.INTERACTIVE, remaining),
            new Amendment(lease, Priority.URGENT, remaining));
    assertThat(task.effects.revoked).isEmpty();
  }

  @Test
  void aRunningRequestIsNotEndedAtTheDeadlineItHadBefore() {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef lease = task.start(new TestRequest("r").deadlineMillis(10_000));
    task.control(new Control.Extend("r", VirtualRouter.START_EPOCH_MILLIS + 30_000));

    // When
    runsFor(lease, Duration.ofSeconds(20));
    String afterTheOldDeadline = task.stateName("r");
    runsFor(lease, Duration.ofSeconds(13));

    // Then
    assertThat(afterTheOldDeadline).isEqualTo("started");
    assertThat(task.effects.log).contains("terminal:deadline_exceeded");
  }

  /** Time passes, and the worker reports that it goes on. */
  private void runsFor(LeaseRef lease, Duration duration) {
    Duration step = Duration.ofSeconds(1);
    for (Duration passed = Duration.ZERO;
        passed.compareTo(duration) < 0;
        passed = passed.plus(step)) {
      router.pass(step, Duration.ofMillis(100));
      task.outcome(lease, new Outcome.Progress(1));
    }
  }

  @Test
  void aRequestThatIsServedAgainKeepsWhatWasChangedWhileItRan() {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef lease = task.start(new TestRequest("r"));
    task.control(new Control.Reprioritise("r", Priority.URGENT));

    // When
    task.outcome(lease, new Outcome.Returned(Outcome.ReturnReason.DRAINING, 0));
    router.join(new TestWorker("w2"));
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.assigned.getLast().priority()).isEqualTo(Priority.URGENT);
  }

  @Test
  void aDeadlineIsExtendedNoFurtherThanRecordsAreKept() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r"));

    // When
    long inAWeek = VirtualRouter.START_EPOCH_MILLIS + Duration.ofDays(7).toMillis();
    task.control(new Control.Extend("r", inAWeek));

    // Then
    long inADay = VirtualRouter.START_EPOCH_MILLIS + Duration.ofDays(1).toMillis();
    assertThat(task.effects.amended.getLast().remainingMillis())
        .isEqualTo(inADay - router.now().epochMillis());
  }

  @Test
  void aRequestThatBecomesUrgentOvertakes() {
    // Given
    task.request(new TestRequest("first").at(1));
    task.request(new TestRequest("second").at(2));

    // When
    task.control(new Control.Reprioritise("second", Priority.URGENT));
    router.join(new TestWorker("w1"));
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.requests()).containsExactly("second", "first");
  }

  @Test
  void aRequestThatBecomesBulkIsCountedAsBulk() {
    // Given
    task.request(new TestRequest("r").deadlineMillis(600_000));

    // When
    task.control(new Control.Reprioritise("r", Priority.BULK));

    // Then
    assertThat(router.parts().backlog().pendingBulk()).isEqualTo(1);
    assertThat(router.parts().backlog().pending()).isEqualTo(1);
  }

  @Test
  void aChangedRequestInItsBackoffStaysThere() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r"));
    task.outcome(task.effects.lastLease(), TestWorker.busy(1_000));

    // When
    task.control(new Control.Reprioritise("r", Priority.URGENT));

    // Then
    assertThat(router.parts().backlog().pending()).isZero();
    assertThat(task.effects.assigned).hasSize(1);
  }

  @Test
  void aRequestThatNoWorkerCouldTakeInTimeIsAnsweredAtItsDeadline() {
    // Given
    task.request(new TestRequest("r").deadlineMillis(10_000));

    // When
    router.pass(Duration.ofMillis(10_000 - router.elapsedMillis() - 20));
    boolean waitedUntilThen = task.effects.log.isEmpty();
    router.pass(A_TICK);

    // Then
    assertThat(waitedUntilThen).isTrue();
    assertThat(task.effects.log)
        .containsExactly("dead-letter:deadline_exceeded", "terminal:deadline_exceeded");
  }

  @Test
  void aWorkerThatForgetsTheDeadlineIsOverruledTwoSecondsLater() {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef lease = task.start(new TestRequest("r").deadlineMillis(6_000));

    // When
    router.pass(Duration.ofMillis(7_980 - router.elapsedMillis()));
    boolean leftToTheWorker = task.effects.terminals.isEmpty();
    router.pass(A_TICK);

    // Then
    assertThat(leftToTheWorker).isTrue();
    assertThat(task.effects.revoked).containsExactly(lease);
    assertThat(task.effects.terminals.getFirst().code()).isEqualTo("deadline_exceeded");
  }

  @Test
  void aWorkerThatEndsTheRequestAtItsDeadlineIsBelieved() {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef lease = task.start(new TestRequest("r").deadlineMillis(5_000));
    router.pass(Duration.ofSeconds(3));

    // When
    task.outcome(lease, new Outcome.Expired());
    task.endWritten("r");
    router.pass(Duration.ofSeconds(3));

    // Then
    assertThat(task.effects.terminals).isEmpty();
    assertThat(task.stateName("r")).isEqualTo("ended");
  }
}
