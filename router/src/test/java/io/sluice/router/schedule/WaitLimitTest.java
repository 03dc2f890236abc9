package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.router.TestWorker;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/**
 * Nobody waits for a worker for longer than is allowed, once it is known that others are served.
 */
class WaitLimitTest {
  private final VirtualRouter router = new VirtualRouter(100_000, Duration.ofSeconds(5));
  private final VirtualTask task = router.settledTask();

  @Test
  void whatCameBeforeAnybodyKnewHowLongItWouldWaitIsRefusedAsSoonAsThatIsKnown() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(1_000, Priority.INTERACTIVE);

    // When
    completeEverySecond(12);

    // Then: those behind them do not wait for them
    assertThat(task.effects.terminals)
        .hasSizeGreaterThan(900)
        .allMatch(end -> end.code().equals("overloaded"));
    assertThat(router.parts().backlog().pending()).isZero();
    task.request(new TestRequest("next").at(3_000).tenant("flood"));
    complete();
    assertThat(task.effects.requests()).endsWith("next");
  }

  @Test
  void aRequestThatNobodyServesWaitsUntilItsDeadline() {
    // Given
    task.request(new TestRequest("r").deadlineMillis(60_000));

    // When
    router.pass(Duration.ofSeconds(50));

    // Then
    assertThat(task.effects.terminals).isEmpty();
    assertThat(task.stateName("r")).isEqualTo("pending");
  }

  @Test
  void bulkMayWaitForEver() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    flood(100, Priority.BULK);
    task.request(new TestRequest("waits").at(3_000).deadlineMillis(3_600_000));

    // When
    completeEverySecond(12);

    // Then
    assertThat(task.effects.terminals).isEmpty();
  }

  @Test
  void oneThatWasWithAWorkerBeforeIsNotRefusedForItsWait() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    task.request(new TestRequest("begun").deadlineMillis(3_600_000));
    flood(100, Priority.INTERACTIVE);
    task.outcome(
        task.effects.lastLease(),
        new Outcome.Failed(429, "busy", "later", true, OptionalLong.empty(), 0));

    // When
    completeEverySecond(12);

    // Then
    assertThat(task.effects.terminals).noneMatch(end -> end.facts().requestId().equals("begun"));
  }

  private void flood(int requests, Priority priority) {
    for (int i = 0; i < requests; i++) {
      task.request(
          new TestRequest("f" + i)
              .at(i)
              .tenant("flood")
              .priority(priority)
              .deadlineMillis(3_600_000));
    }
  }

  private void completeEverySecond(int requests) {
    for (int i = 0; i < requests; i++) {
      router.pass(Duration.ofSeconds(1));
      complete();
    }
    router.pass(Duration.ofSeconds(2));
  }

  private void complete() {
    task.outcome(task.effects.lastLease(), VirtualTask.completed());
  }
}
