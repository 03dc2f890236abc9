package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.router.TestWorker;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SchedulerIdleTest {
  private static final Duration AHEAD = Duration.ofMillis(100);

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @Test
  void aSchedulerWithoutRequestsIsIdle() {
    assertThat(isIdle()).isTrue();
  }

  @Test
  void aSchedulerIsNotIdleWhileARequestWaits() {
    task.request(new TestRequest("a"));

    assertThat(isIdle()).isFalse();
  }

  @Test
  void aSchedulerIsIdleAgainWhenItsLastRequestHasEnded() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    task.request(new TestRequest("a"));
    assertThat(isIdle()).isFalse();

    // When
    task.outcome(task.effects.lastLease(), VirtualTask.completed());

    // Then
    assertThat(isIdle()).isTrue();
  }

  @Test
  void aSchedulerIsNotIdleWhenARequestIsToBeTriedAgainSoon() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    task.request(new TestRequest("a"));

    // When
    task.outcome(task.effects.lastLease(), new Outcome.Returned(Outcome.ReturnReason.NO_SLOT, 0));

    // Then
    assertThat(isIdle()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void anEndedRequestLeavesNoTimerBehind(Priority priority) {
    // Given
    router.join(new TestWorker("w1").slots(1));
    task.request(new TestRequest("a").priority(priority).deadlineMillis(86_400_000));
    task.control(new Control.Extend("a", VirtualRouter.START_EPOCH_MILLIS + 86_000_000));

    // When
    task.outcome(task.effects.lastLease(), VirtualTask.completed());

    // Then
    assertThat(task.scheduler().isIdle(router.now(), Duration.ofDays(2))).isTrue();
  }

  private boolean isIdle() {
    return task.scheduler().isIdle(router.now(), AHEAD);
  }
}
