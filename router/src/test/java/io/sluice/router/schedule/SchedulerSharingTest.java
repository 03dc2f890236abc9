package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Priority;
import io.sluice.router.TestWorker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What interactive and bulk requests, and the tasks of one router, share. */
class SchedulerSharingTest {
  private static final Duration A_TICK = Duration.ofMillis(20);

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @Test
  void bulkYieldsToInteractiveRequestsOfTheSameGroup() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    task.request(new TestRequest("running"));
    task.request(new TestRequest("bulk").priority(Priority.BULK).deadlineMillis(10_000));
    task.request(new TestRequest("interactive"));

    // When
    task.outcome(task.effects.lastLease(), VirtualTask.completed());

    // Then
    assertThat(task.effects.requests()).containsExactly("running", "interactive");
  }

  @Test
  void bulkYieldsToInteractiveRequestsThatWaitInAnotherTask() {
    // Given
    VirtualTask other = router.settledTask();
    TestWorker worker = router.join(new TestWorker("w1").slots(1));
    task.request(new TestRequest("running"));
    task.request(new TestRequest("bulk").priority(Priority.BULK).deadlineMillis(600_000));
    other.request(new TestRequest("interactive"));
    worker.slots(1);

    // When
    task.outcome(task.effects.lastLease(), VirtualTask.completed());
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.requests()).containsExactly("running");
    assertThat(other.effects.requests()).containsExactly("interactive");
  }

  @Test
  void bulkOfAnotherGroupNeedNotYield() {
    // Given
    router.join(new TestWorker("w1").models("qwen"));
    task.request(new TestRequest("interactive"));

    // When
    task.request(new TestRequest("bulk").model("qwen").priority(Priority.BULK));

    // Then
    assertThat(task.effects.requests()).containsExactly("bulk");
  }

  @Test
  void twoTasksShareTheSlotsOfAWorker() {
    // Given
    VirtualTask other = router.settledTask();
    router.join(new TestWorker("w1").slots(1));

    // When
    task.request(new TestRequest("a"));
    other.request(new TestRequest("b"));

    // Then
    assertThat(task.effects.requests()).containsExactly("a");
    assertThat(other.effects.requests()).isEmpty();
  }
}
