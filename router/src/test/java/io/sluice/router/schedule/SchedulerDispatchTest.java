package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.router.TestWorker;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SchedulerDispatchTest {
  private static final Duration A_TICK = Duration.ofMillis(20);

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @Test
  void aWorkerIsSentNoMoreThanItHasSlotsFor() {
    // Given
    router.join(new TestWorker("w1").slots(2));

    // When
    task.request(new TestRequest("a"));
    task.request(new TestRequest("b"));
    task.request(new TestRequest("c"));

    // Then
    assertThat(task.effects.requests()).containsExactly("a", "b");
    assertThat(router.parts().backlog().pending()).isEqualTo(1);
  }

  @Test
  void aSlotThatBecomesFreeIsFilledAtOnce() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    task.request(new TestRequest("a"));
    task.request(new TestRequest("b"));

    // When
    task.outcome(task.effects.lastLease(), VirtualTask.completed());

    // Then
    assertThat(task.effects.requests()).containsExactly("a", "b");
  }

  @Test
  void whatOtherRoutersHaveAtAWorkerTakesItsSlotsToo() {
    // Given
    router.join(new TestWorker("w1").slots(3).held("another-router", 2));

    // When
    task.request(new TestRequest("a"));
    task.request(new TestRequest("b"));

    // Then
    assertThat(task.effects.requests()).containsExactly("a");
  }

  @Test
  void whatThisRouterHasAtAWorkerIsNotCountedTwice() {
    // Given
    TestWorker worker = router.join(new TestWorker("w1").slots(2));
    task.request(new TestRequest("a"));
    worker.held("router", 1);

    // When
    task.request(new TestRequest("b"));

    // Then
    assertThat(task.effects.requests()).containsExactly("a", "b");
  }

  @Test
  void theTokensOfWhatWasSentCountAgainstTheBudget() {
    // Given
    router.join(new TestWorker("w1").tokenBudget(1_000));

    // When
    task.request(new TestRequest("a").promptTokens(500));
    task.request(new TestRequest("b").promptTokens(500));

    // Then
    assertThat(task.effects.requests()).containsExactly("a");
  }

  @Test
  void theMoreUrgentThenTheEarlierDeadlineThenTheEarlierArrivalGoesFirst() {
    // Given
    task.request(new TestRequest("late").at(1).deadlineMillis(50_000));
    task.request(new TestRequest("second").at(3).deadlineMillis(40_000));
    task.request(new TestRequest("first").at(2).deadlineMillis(40_000));
    task.request(new TestRequest("urgent").at(4).priority(Priority.URGENT).deadlineMillis(59_000));

    // When
    router.join(new TestWorker("w1"));
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.requests()).containsExactly("urgent", "first", "second", "late");
  }

  @Test
  void noGroupWaitsForAnother() {
    // Given
    router.join(new TestWorker("small").lanes("2k").models("llama"));

    // When
    task.request(new TestRequest("other-lane").lane("8k").priority(Priority.URGENT));
    task.request(new TestRequest("other-model").model("qwen").priority(Priority.URGENT));
    task.request(new TestRequest("served"));

    // Then
    assertThat(task.effects.requests()).containsExactly("served");
  }

  @Test
  void aRequestTooLongForEveryWorkerThereIsDoesNotHoldUpTheShorterOnesBehindIt() {
    // Given
    router.join(new TestWorker("small").maxModelLen(4_096));
    task.request(new TestRequest("long").lane("8k").promptTokens(6_000).deadlineMillis(30_000));

    // When
    task.request(new TestRequest("longer").lane("8k").promptTokens(7_000));
    task.request(new TestRequest("short").lane("8k").promptTokens(3_000));

    // Then
    assertThat(task.effects.requests()).containsExactly("short");
  }

  @Test
  void aRequestCloseToItsDeadlineBehindOneTooLongForEveryWorkerIsSentOnce() {
    // Given
    router.join(new TestWorker("w1").slots(2).maxModelLen(4_096));
    task.request(new TestRequest("too-long").promptTokens(9_000).priority(Priority.URGENT));

    // When
    task.request(
        new TestRequest("deadline-critical").deadlineMillis(router.elapsedMillis() + 4_000));

    // Then
    assertThat(task.effects.requests()).containsExactly("deadline-critical");
    assertThat(task.stateName("too-long")).isEqualTo("pending");
  }

  @Test
  void aRequestTooLongForEveryWorkerGoesWhenALargerOneComes() {
    // Given
    router.join(new TestWorker("small").maxModelLen(4_096));
    task.request(new TestRequest("long").lane("8k").promptTokens(6_000));

    // When
    router.join(new TestWorker("large").maxModelLen(16_384));
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.workers()).containsExactly("large");
  }

  @Test
  void aRequestThatOnlyHasToWaitForRoomIsNotOvertakenInItsGroup() {
    // Given
    router.join(new TestWorker("w1").tokenBudget(5_000));
    task.request(new TestRequest("running").promptTokens(3_000).deadlineMillis(10_000));
    task.request(new TestRequest("big").promptTokens(3_000).deadlineMillis(20_000));

    // When
    task.request(new TestRequest("small").promptTokens(100));

    // Then
    assertThat(task.effects.requests()).containsExactly("running");
  }

  @Test
  void whatComesBackIsNotSentThereAgainBeforeTheWorkersNextSnapshot() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r"));
    giveBack(task.effects.lastLease());

    // When
    router.pass(A_TICK);
    int sentBefore = task.effects.assigned.size();
    router.beat("w1");
    router.pass(A_TICK);

    // Then
    assertThat(sentBefore).isEqualTo(1);
    assertThat(task.effects.workers()).containsExactly("w1", "w1");
  }

  @Test
  void aRequestThatTwoWorkersGaveBackIsNotPassedToAndFroBetweenThem() {
    // Given
    router.join(new TestWorker("w1"));
    router.join(new TestWorker("w2"));
    task.request(new TestRequest("r"));
    giveBack(task.effects.lastLease());
    router.pass(A_TICK);
    giveBack(task.effects.lastLease());

    // When
    router.pass(A_TICK.multipliedBy(3));

    // Then
    assertThat(task.effects.workers()).containsExactlyInAnyOrder("w1", "w2");
  }

  @Test
  void aWorkerWhoseHeartbeatIsLateIsSentNothingNew() {
    // Given
    router.join(new TestWorker("w1"));
    router.silence("w1");
    router.pass(Duration.ofMillis(800));

    // When
    task.request(new TestRequest("r"));

    // Then
    assertThat(task.effects.assigned).isEmpty();
  }

  @Test
  void whileTheRegistryIsAwayLateHeartbeatsDoNotCount() {
    // Given
    router.join(new TestWorker("w1"));
    router.registryAway();
    router.pass(Duration.ofSeconds(5));

    // When
    task.request(new TestRequest("r"));

    // Then
    assertThat(task.effects.workers()).containsExactly("w1");
  }

  @Test
  void aWorkerThatDrainsOrHasNoTopicIsSentNothing() {
    // Given
    router.join(new TestWorker("draining").draining(true));
    router.join(new TestWorker("homeless"));
    router.topicMissing("sluice.worker.homeless");

    // When
    task.request(new TestRequest("r"));

    // Then
    assertThat(task.effects.assigned).isEmpty();
  }

  @Test
  void aRequestWhoseBodyIsLostIsAnsweredWithAnErrorAndItsSlotIsGivenBack() {
    // Given
    TestRequest request = new TestRequest("r");
    task.request(request);
    router.bodies.delete(request.metadata().source());

    // When
    router.join(new TestWorker("w1"));
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.log)
        .containsExactly("dead-letter:engine_error", "terminal:engine_error");
    assertThat(router.parts().ledger().at("w1").leases()).isZero();
    assertThat(router.parts().backlog().pending()).isZero();
  }

  @Test
  void whatComesBackDoesNotHoldUpThoseBehindIt() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    task.request(new TestRequest("returned").deadlineMillis(20_000));
    task.request(new TestRequest("behind").deadlineMillis(30_000));

    // When
    giveBack(task.effects.lastLease());
    router.tick();
    task.outcome(task.effects.lastLease(), VirtualTask.completed());
    router.beat("w1");
    router.tick();

    // Then
    assertThat(task.effects.requests()).containsExactly("returned", "behind", "returned");
  }

  @Test
  void whatComesBackIsSentThereAgainAfterASecondEvenWithoutNewsOfTheWorker() {
    // Given
    router.join(new TestWorker("w1"));
    router.registryAway();
    task.request(new TestRequest("r"));
    giveBack(task.effects.lastLease());

    // When
    router.pass(Duration.ofMillis(980));
    int sentBefore = task.effects.assigned.size();
    router.pass(A_TICK);

    // Then
    assertThat(sentBefore).isEqualTo(1);
    assertThat(task.effects.workers()).containsExactly("w1", "w1");
  }

  @Test
  void aWorkerThatGivesEverythingBackIsNotSentAllThatWaitsBeforeItReportsAgain() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    for (int i = 0; i < 100; i++) {
      task.request(new TestRequest("r" + i).at(i));
    }

    // When
    for (int sent = 0; sent < task.effects.assigned.size(); sent++) {
      giveBack(task.effects.assigned.get(sent).lease());
      router.tick();
    }

    // Then
    assertThat(task.effects.assigned).hasSizeBetween(2, 17);
  }

  @Test
  void whatFailedIsNotSentAgainAtOnceToTheOnlyWorker() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r"));
    task.outcome(task.effects.lastLease(), TestWorker.failure(0));

    // When
    router.pass(A_TICK);
    int sentBefore = task.effects.assigned.size();
    router.beat("w1");
    router.pass(A_TICK);

    // Then
    assertThat(sentBefore).isEqualTo(1);
    assertThat(task.effects.workers()).containsExactly("w1", "w1");
  }

  @Test
  void whatFailedTwiceWaitsLongerThanTheOnlyWorkersNextSnapshot() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r"));
    task.outcome(task.effects.lastLease(), TestWorker.failure(0));
    router.beat("w1");
    router.pass(A_TICK);
    task.outcome(task.effects.lastLease(), TestWorker.failure(0));

    // When
    router.beat("w1");
    router.pass(A_TICK);
    int sentBefore = task.effects.assigned.size();
    router.pass(A_TICK.multipliedBy(2));

    // Then
    assertThat(sentBefore).isEqualTo(2);
    assertThat(task.effects.workers()).containsExactly("w1", "w1", "w1");
    assertThat(task.effects.terminals).isEmpty();
  }

  @Test
  void whileTheOnlyOtherWorkerIsHalfOpenWithAllItsProbesAFailedRequestWaits() {
    // Given
    router.join(new TestWorker("half-open"));
    router.breaker("half-open", new BreakerEvent.EngineDown());
    router.breaker("half-open", new BreakerEvent.EngineUp());
    for (int probe = 0; probe < 3; probe++) {
      task.request(new TestRequest("probe-" + probe));
    }
    LeaseRef probe = task.effects.lastLease();
    TestWorker failing = router.join(new TestWorker("failing"));
    task.request(new TestRequest("r"));
    task.outcome(task.effects.lastLease(), TestWorker.failure(0));
    failing.engineUp(false);

    // When
    router.pass(Duration.ofMillis(1_500));
    List<String> sentBefore = task.effects.workers();
    String stateBefore = task.stateName("r");
    task.outcome(probe, VirtualTask.completed());
    router.pass(A_TICK);

    // Then
    assertThat(sentBefore).containsExactly("half-open", "half-open", "half-open", "failing");
    assertThat(stateBefore).isEqualTo("pending");
    assertThat(task.effects.workers()).hasSize(5).last().isEqualTo("half-open");
    assertThat(task.effects.lastLease().requestId()).isEqualTo("r");
    assertThat(task.effects.terminals).isEmpty();
  }

  private void giveBack(LeaseRef lease) {
    task.outcome(lease, new Outcome.Returned(Outcome.ReturnReason.NO_SLOT, 0));
  }
}
