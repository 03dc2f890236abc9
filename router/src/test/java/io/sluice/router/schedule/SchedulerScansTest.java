package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.TestWorker;
import io.sluice.router.request.ReplyStarts;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** From where the log is read back for another attempt, and what becomes of it if it cannot be. */
class SchedulerScansTest {
  private static final Duration A_TICK = Duration.ofMillis(40);
  private static final Duration LONG = Duration.ofMinutes(30);
  private static final long DEADLINE = Duration.ofHours(5).toMillis();
  private static final long MARGIN = ReplyStarts.MARGIN.toMillis();

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @Test
  void howeverLongARequestWaitedItsLogIsReadFromItsFirstAssignmentOn() {
    // Given
    task.request(new TestRequest("r").deadlineMillis(DEADLINE));
    router.pass(LONG, Duration.ofSeconds(1));
    router.join(new TestWorker("w1"));
    router.pass(A_TICK);
    long assigned = router.now().epochMillis();

    // When
    fail(TestWorker.failure(0));
    router.pass(LONG, Duration.ofSeconds(1));
    fail(TestWorker.failure(1));
    router.pass(Duration.ofSeconds(10));

    // Then
    assertThat(task.effects.assigned).hasSizeGreaterThanOrEqualTo(3);
    assertThat(task.effects.assigned)
        .extracting(Assignment::foldFromTimeMillis)
        .allSatisfy(time -> assertThat(time).isBetween(assigned - MARGIN - 100, assigned - MARGIN));
  }

  @Test
  void whatWaitedWhenTheRouterDiedIsReadFromTheLastAssignmentThatIsKnownOf() {
    // Given
    task.request(new TestRequest("waits").deadlineMillis(DEADLINE).promptTokens(900));
    router.pass(LONG, Duration.ofSeconds(1));
    router.join(new TestWorker("w1").slots(1));
    router.pass(A_TICK);
    task.request(new TestRequest("waits too").deadlineMillis(DEADLINE).appendedMillis(0));
    long running = router.now().epochMillis();
    router.pass(Duration.ofSeconds(1));

    // When
    router.crash();
    router.pass(Duration.ofSeconds(3));
    task.effects.clear();
    router.join(new TestWorker("w2"));
    router.pass(A_TICK);

    // Then
    Assignment late = task.effects.assigned.getFirst();
    assertThat(late.lease().requestId()).isEqualTo("waits too");
    assertThat(late.fresh()).isFalse();
    assertThat(late.foldFromTimeMillis()).isBetween(running - MARGIN - 100, running - MARGIN);
  }

  @Test
  void anAnswerThatCannotBeReadBackIsTriedLessAndLessOftenAndThenGivenUpWithOneClearError() {
    // Given
    router.join(new TestWorker("w1"));
    router.join(new TestWorker("w2"));
    task.request(new TestRequest("r").deadlineMillis(DEADLINE));
    long begun = router.elapsedMillis();

    // When
    int attempts = 0;
    while (task.effects.terminals.isEmpty() && attempts < 500) {
      attempts++;
      fail(unreadable());
      awaitNextAttempt();
    }

    // Then
    assertThat(attempts).isEqualTo(12);
    assertThat(router.elapsedMillis() - begun).isLessThan(Duration.ofMinutes(3).toMillis());
    assertThat(task.effects.terminals)
        .extracting(RecordedEffects.Terminal::code)
        .containsExactly("reply_unreadable");
    assertThat(task.effects.deadLetters).hasSize(1);
    assertThat(task.effects.deadLetters.getFirst().message())
        .contains("could not be read back 12 times", "sluice.replies-3");
  }

  @Test
  void whatCannotBeReadAgainAndAgainIsMadeAgainInstead() {
    // Given
    router.join(new TestWorker("w1"));
    router.join(new TestWorker("w2"));
    task.start(new TestRequest("r").deadlineMillis(DEADLINE));
    fail(TestWorker.failure(4));
    awaitNextAttempt();
    assertThat(task.effects.assigned.getLast().foldFromOffset()).hasValue(10);

    // When
    for (int i = 0; i < 4; i++) {
      fail(unreadable());
      awaitNextAttempt();
    }

    // Then
    Assignment last = task.effects.assigned.getLast();
    assertThat(last.foldFromOffset()).isEmpty();
    assertThat(last.foldFromTimeMillis())
        .isBetween(router.now().epochMillis() - MARGIN - 100, router.now().epochMillis() - MARGIN);
  }

  @Test
  void whatCameBackWithoutATokenIsReadFromItsNextAssignmentOn() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r").deadlineMillis(DEADLINE));
    router.leave("w1");
    task.outcome(task.effects.lastLease(), new Outcome.Returned(Outcome.ReturnReason.DRAINING, 0));
    router.pass(LONG, Duration.ofSeconds(1));

    // When
    router.join(new TestWorker("w2"));
    awaitNextAttempt();
    long assigned = router.now().epochMillis();
    fail(TestWorker.failure(0));
    awaitNextAttempt();

    // Then
    assertThat(task.effects.assigned.getLast().foldFromTimeMillis())
        .isBetween(assigned - MARGIN - 100, assigned - MARGIN);
  }

  @Test
  void anAttemptThatAddsTokensForgivesThoseThatCouldNotReadTheLog() {
    // Given
    router.join(new TestWorker("w1"));
    router.join(new TestWorker("w2"));
    task.request(new TestRequest("r").deadlineMillis(DEADLINE));

    // When
    for (int i = 0; i < 11; i++) {
      fail(unreadable());
      awaitNextAttempt();
    }
    fail(TestWorker.failure(4));
    awaitNextAttempt();
    fail(unreadable());
    awaitNextAttempt();

    // Then
    assertThat(task.effects.terminals).isEmpty();
    assertThat(task.history("r").scans().failed()).isEqualTo(1);
  }

  private void fail(Outcome.Failed failure) {
    var lease = task.effects.lastLease();
    task.outcome(lease, new Outcome.Accepted());
    task.outcome(lease, failure);
  }

  private void awaitNextAttempt() {
    int before = task.effects.assigned.size();
    for (int tick = 0; tick < 1_000 && task.effects.assigned.size() == before; tick++) {
      router.pass(A_TICK);
    }
  }

  private static Outcome.Failed unreadable() {
    return new Outcome.Failed(
        FailureCode.REPLY_UNREADABLE, "sluice.replies-3 could not be read within 4000 ms", 0);
  }
}
