package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Outcome;
import io.sluice.router.TestWorker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

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

  private boolean isIdle() {
    return task.scheduler().isIdle(router.now(), AHEAD);
  }
}
