package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Outcome.ReturnReason;
import io.sluice.common.protocol.Priority;
import io.sluice.router.TestWorker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How bulk requests enter workers, are evicted, come back, and are promoted in the end. */
class SchedulerBulkTest {
  private static final Duration A_TICK = Duration.ofMillis(20);
  private static final Duration A_HEARTBEAT = Duration.ofMillis(260);

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @Test
  void anEvictedRequestIsCountedAndComesBackOnceThereIsRoom() {
    // Given
    TestWorker worker = router.join(new TestWorker("w1").kvUsage(0.5));
    LeaseRef lease = task.start(bulk("r"));
    worker.kvUsage(0.81);
    task.outcome(lease, new Outcome.Returned(ReturnReason.EVICTED, 40));
    router.pass(A_HEARTBEAT);
    int whileFull = task.effects.assigned.size();

    // When
    worker.kvUsage(0.69);
    router.pass(A_HEARTBEAT);

    // Then
    assertThat(whileFull).isEqualTo(1);
    Assignment again = task.effects.assigned.getLast();
    assertThat(again.lease().attempt()).isEqualTo(2);
    assertThat(again.evictions()).isEqualTo(1);
    assertThat(task.history("r").tokens()).isEqualTo(40);
  }

  @Test
  void evictionsCostNoAttempts() {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef lease = task.start(bulk("r"));

    // When
    for (int i = 0; i < 5; i++) {
      task.outcome(lease, new Outcome.Returned(ReturnReason.EVICTED, 0));
      router.pass(Duration.ofSeconds(1));
      lease = task.effects.lastLease();
    }

    // Then
    assertThat(task.effects.terminals).isEmpty();
    assertThat(task.effects.assigned).hasSize(6);
    assertThat(task.history("r").failures()).isZero();
  }

  @Test
  void otherHandBacksAreNoEvictions() {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef lease = task.start(bulk("r"));

    // When
    task.outcome(lease, new Outcome.Returned(ReturnReason.DRAINING, 40));

    // Then
    assertThat(task.history("r").evictions()).isZero();
  }

  @Test
  void anEvictedRequestNeedNotWaitWhereAnotherWorkerHasRoom() {
    // Given
    router.join(new TestWorker("w1").kvUsage(0.5));
    LeaseRef lease = task.start(bulk("r"));

    // When
    router.join(new TestWorker("w2").kvUsage(0.5));
    task.outcome(lease, new Outcome.Returned(ReturnReason.EVICTED, 40));
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.lastLease().worker()).isEqualTo("w2");
  }

  @Test
  void aFifthOfTheSlotsStaysFreeOfBulk() {
    // Given
    router.join(new TestWorker("w1").slots(10).pace(20_000, 10, 0));

    // When
    for (int i = 0; i < 20; i++) {
      task.request(bulk("b" + i));
    }

    // Then
    assertThat(task.effects.assigned).hasSize(8);
    task.request(new TestRequest("now"));
    assertThat(task.effects.lastLease().requestId()).isEqualTo("now");
  }

  @Test
  void bulkDoesNotYieldToWhatNoWorkerCanTake() {
    // Given interactive requests that are too long for the only worker
    router.join(new TestWorker("w1").maxModelLen(4_000));
    task.request(new TestRequest("long").promptTokens(8_000));
    task.request(new TestRequest("longer").promptTokens(9_000));

    // When
    task.request(bulk("b"));
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.requests()).containsExactly("b");

    // When a worker comes that has one slot, and can take them
    task.request(bulk("c"));
    router.join(new TestWorker("w2").maxModelLen(16_000).slots(1));
    router.leave("w1");
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.lastLease().requestId()).isEqualTo("long");
  }

  @Test
  void bulkPromptsAreComputedOneAfterTheOther() {
    // Given
    router.join(new TestWorker("w1").slots(10).pace(1_000, 10, 0));

    // When
    task.request(bulk("b1"));
    task.request(bulk("b2"));
    int atOnce = task.effects.assigned.size();
    task.outcome(task.effects.lastLease(), VirtualTask.started(10));

    // Then
    assertThat(atOnce).isEqualTo(1);
    assertThat(task.effects.requests()).containsExactly("b1", "b2");
  }

  @Test
  void waitingBulkIsPromotedWhenItsSlackRunsOut() {
    // Given
    task.request(bulk("r").deadlineMillis(1_000_000));
    router.pass(Duration.ofMillis(900_000 - 40 - router.elapsedMillis()), A_TICK);
    int before = router.parts().backlog().pendingBulk();

    // When
    router.pass(Duration.ofMillis(40), A_TICK);

    // Then
    assertThat(before).isEqualTo(1);
    assertThat(router.parts().backlog().pendingBulk()).isZero();
    assertThat(router.parts().backlog().pending()).isEqualTo(1);
    router.join(new TestWorker("w1").kvUsage(0.85));
    router.pass(A_TICK);
    assertThat(task.effects.assigned.getFirst().priority()).isEqualTo(Priority.INTERACTIVE);
  }

  @Test
  void whatIsEvictedAfterThatComesBackAsAnInteractiveRequest() {
    // Given
    TestWorker worker = router.join(new TestWorker("w1"));
    LeaseRef lease = task.start(bulk("r").deadlineMillis(70_000));
    for (int second = 0; second < 9; second++) {
      router.pass(Duration.ofSeconds(1));
      task.outcome(lease, new Outcome.Progress(1));
    }

    // When
    worker.kvUsage(0.81);
    task.outcome(lease, new Outcome.Returned(ReturnReason.EVICTED, 9));
    router.pass(Duration.ofSeconds(1));

    // Then
    assertThat(task.effects.lastLease().attempt()).isEqualTo(2);
    assertThat(task.effects.assigned.getLast().priority()).isEqualTo(Priority.INTERACTIVE);
  }

  @Test
  void promotionSurvivesTheRouter() {
    // Given
    task.request(bulk("r").deadlineMillis(70_000));
    router.pass(Duration.ofSeconds(10));

    // When
    router.crash();
    router.join(new TestWorker("w1"));
    router.pass(Duration.ofSeconds(3));

    // Then
    assertThat(task.effects.assigned.getFirst().priority()).isEqualTo(Priority.INTERACTIVE);
  }

  private static TestRequest bulk(String id) {
    return new TestRequest(id).priority(Priority.BULK).deadlineMillis(86_400_000);
  }
}
