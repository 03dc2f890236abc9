package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.router.TestWorker;
import io.sluice.router.placement.ReservedWorkers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Large prompts among so many small ones that these take whatever becomes free. */
class SchedulerCapacityReservationTest {
  private static final long BUDGET = 1_000;
  private static final long LARGE = 700;
  private static final long ANSWER_MILLIS = 400;
  private static final Duration PATIENCE = ReservedWorkers.PATIENCE;

  /** Until what ran on the held worker has ended, and the next tick. */
  private static final Duration A_MOMENT = Duration.ofMillis(ANSWER_MILLIS + 100);

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask smallOnes = router.settledTask();
  private final VirtualTask task = router.settledTask();
  private final Deque<Running> running = new ArrayDeque<>();
  private int seenOfSmallOnes;
  private int seenOfTask;
  private int sent;

  private record Running(VirtualTask task, LeaseRef lease, long endMillis) {
    void complete() {
      task.outcome(lease, VirtualTask.completed());
    }
  }

  @Test
  void aLargePromptUnderASteadyStreamOfSmallOnesIsSentWithinABound() {
    // Given
    join("w1", "w2");
    stream(Duration.ofSeconds(1));

    // When
    large("large");
    stream(PATIENCE.minusMillis(100));
    int sentInTime = task.effects.assigned.size();
    stream(A_MOMENT.plusMillis(100));

    // Then
    assertThat(sentInTime).isZero();
    assertThat(task.effects.requests()).containsExactly("large");
    assertThat(holds()).isZero();
  }

  @Test
  void aRequestWithLittleTimeWaitsForAQuarterOfItOnly() {
    // Given
    join("w1", "w2");
    stream(Duration.ofSeconds(1));

    // When
    task.request(largeRequest("large").deadlineMillis(router.elapsedMillis() + 4_000));
    stream(Duration.ofSeconds(1).plus(A_MOMENT));

    // Then
    assertThat(task.effects.requests()).containsExactly("large");
  }

  @Test
  void meanwhileTheSmallOnesGoToTheOtherWorkers() {
    // Given
    join("w1", "w2");
    stream(Duration.ofSeconds(1));
    large("large");
    stream(PATIENCE);
    String held = heldFor("large");
    int sentBefore = smallOnes.effects.assigned.size();

    // When
    while (task.effects.assigned.isEmpty()) {
      stream(Duration.ofMillis(20));
    }

    // Then
    List<String> workers = smallOnes.effects.workers();
    assertThat(workers.subList(sentBefore, workers.size() - 1)).isNotEmpty().doesNotContain(held);
  }

  @Test
  void thoseBehindALargePromptThatHoldsAWorkerGoToTheOthers() {
    // Given
    join("w1", "w2");
    List<LeaseRef> both =
        List.of(task.start(largeRequest("running-1")), task.start(largeRequest("running-2")));
    large("large");
    task.request(largeRequest("small").promptTokens(1));
    router.pass(PATIENCE.minusMillis(20));
    both.forEach(lease -> task.outcome(lease, new Outcome.Progress(10)));
    int sentBefore = task.effects.assigned.size();

    // When
    router.pass(Duration.ofMillis(20));

    // Then
    assertThat(sentBefore).isEqualTo(2);
    assertThat(task.effects.requests()).containsExactly("running-1", "running-2", "small");
    assertThat(task.effects.workers().getLast()).isNotEqualTo(heldFor("large"));
  }

  @Test
  void thoseBehindALargePromptThatMayHoldNothingGoToTheOthersAndItHoldsTheNext() {
    // Given
    List<LeaseRef> filling = fill("w1", "w2", "w3");
    task.request(largeRequest("first").at(1));
    task.request(largeRequest("second").at(2));
    task.request(largeRequest("small-1").at(3).promptTokens(1));
    task.request(largeRequest("small-2").at(4).promptTokens(1));
    router.pass(PATIENCE.minusMillis(20));
    filling.forEach(lease -> task.outcome(lease, new Outcome.Progress(10)));
    task.effects.clear();

    // When
    router.pass(Duration.ofMillis(20));
    String held = heldFor("first");

    // Then
    assertThat(holds()).isEqualTo(1);
    assertThat(task.effects.requests()).containsExactly("small-1", "small-2");
    assertThat(task.effects.workers()).doesNotContain(held).doesNotHaveDuplicates();

    // When
    filling.stream()
        .filter(lease -> lease.worker().equals(held))
        .forEach(lease -> task.outcome(lease, VirtualTask.completed()));
    router.pass(Duration.ofMillis(20));

    // Then
    assertThat(task.effects.requests()).endsWith("first");
    assertThat(heldFor("second")).isNotEmpty();

    // When
    List.copyOf(task.effects.assigned)
        .forEach(sent -> task.outcome(sent.lease(), VirtualTask.completed()));

    // Then
    assertThat(task.effects.requests()).endsWith("first", "second");
  }

  @Test
  void largePromptsThatMayHoldNothingAreNotComparedWithTheFleetOneByOne() {
    // Given
    List<LeaseRef> filling = fill("w1", "w2", "w3");
    for (int i = 0; i < 50; i++) {
      large("large-" + i);
    }
    router.pass(PATIENCE.minusMillis(20));
    filling.forEach(lease -> task.outcome(lease, new Outcome.Progress(10)));
    router.candidates = 0;

    // When
    router.pass(Duration.ofMillis(20));

    // Then
    assertThat(holds()).isEqualTo(1);
    assertThat(router.candidates).isBetween(2 * 3, 5 * 3);
  }

  @Test
  void theOnlyWorkerIsHeldToo() {
    // Given
    join("w1");
    stream(Duration.ofSeconds(1));

    // When
    large("large");
    stream(PATIENCE.plus(A_MOMENT));
    int smallBefore = smallOnes.effects.assigned.size();
    stream(Duration.ofSeconds(1));

    // Then
    assertThat(task.effects.requests()).containsExactly("large");
    assertThat(smallOnes.effects.assigned).hasSizeGreaterThan(smallBefore);
  }

  @Test
  void twoLargePromptsHoldAWorkerEachWhereThereAreEnough() {
    // Given
    join("w1", "w2", "w3", "w4");
    stream(Duration.ofSeconds(1));

    // When
    large("a");
    large("b");
    stream(PATIENCE);

    // Then
    assertThat(List.of(heldFor("a"), heldFor("b"))).doesNotContain("").doesNotHaveDuplicates();
  }

  @Test
  void ofTwoWorkersOneIsHeldAtATimeAndBothLargePromptsAreSent() {
    // Given
    join("w1", "w2");
    stream(Duration.ofSeconds(1));

    // When
    large("a");
    large("b");
    stream(PATIENCE);
    int held = holds();
    stream(A_MOMENT.multipliedBy(3));

    // Then
    assertThat(held).isEqualTo(1);
    assertThat(task.effects.requests()).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void aHigherPriorityStillGoesToAWorkerThatIsHeld() {
    // Given
    join("w1");
    stream(Duration.ofSeconds(1));
    large("large");
    stream(PATIENCE);
    int held = holds();
    running.removeFirst().complete();
    int smallBefore = smallOnes.effects.assigned.size();

    // When
    task.request(largeRequest("urgent").promptTokens(1).priority(Priority.URGENT));
    router.tick();

    // Then
    assertThat(held).isEqualTo(1);
    assertThat(task.effects.requests()).containsExactly("urgent");
    assertThat(smallOnes.effects.assigned).hasSize(smallBefore);
  }

  @Test
  void noWorkerIsHeldForACancelledRequest() {
    // Given
    holding();

    // When
    task.control(new Control.Cancel("large"));

    // Then
    assertThat(holds()).isZero();
  }

  @Test
  void noWorkerIsHeldForARequestWhoseTimeIsOver() {
    // Given
    join("w1", "w2");
    stream(Duration.ofSeconds(1));
    task.request(largeRequest("large").deadlineMillis(router.elapsedMillis() + 1_200));
    stream(Duration.ofMillis(400));
    int held = holds();

    // When
    router.pass(Duration.ofSeconds(1));

    // Then
    assertThat(held).isEqualTo(1);
    assertThat(holds()).isZero();
  }

  @Test
  void insteadOfAWorkerThatLeavesDrainsOrBreaksAnotherOneIsHeld() {
    // Given
    holding();
    String first = heldFor("large");

    // When
    router.leave(first);
    router.pass(Duration.ofMillis(320));
    String second = heldFor("large");
    router.workers().stream()
        .filter(worker -> worker.id().equals(second))
        .forEach(worker -> worker.draining(true));
    router.pass(Duration.ofMillis(320));
    String third = heldFor("large");
    router.breaker(third, new BreakerEvent.Tripped());
    router.pass(Duration.ofMillis(320));
    String fourth = heldFor("large");

    // Then
    assertThat(List.of(first, second, third, fourth)).doesNotHaveDuplicates().doesNotContain("");
  }

  @Test
  void aTaskThatIsClosedHoldsNothing() {
    // Given
    holding();

    // When
    task.scheduler().close();

    // Then
    assertThat(holds()).isZero();
  }

  @Test
  void whereOnlySlotsAreMissingNothingIsHeld() {
    // Given
    router.join(new TestWorker("w1").slots(1).tokenBudget(BUDGET));
    stream(Duration.ofSeconds(1));

    // When
    task.request(largeRequest("late").promptTokens(1).deadlineMillis(200_000));
    int held = 0;
    for (int i = 0; i < 100; i++) {
      stream(Duration.ofMillis(100));
      held += holds();
    }

    // Then
    assertThat(held).isZero();
  }

  private void join(String... ids) {
    for (String id : ids) {
      router.join(new TestWorker(id).slots(100).tokenBudget(BUDGET));
    }
  }

  /** Returns one lease per worker, which leaves no room for a large prompt. */
  private List<LeaseRef> fill(String... ids) {
    join(ids);
    return Stream.of(ids).map(id -> task.start(largeRequest("on-" + id))).toList();
  }

  private void holding() {
    join("w1", "w2", "w3", "w4");
    stream(Duration.ofSeconds(1));
    large("large");
    stream(PATIENCE);
    assertThat(heldFor("large")).isNotEmpty();
  }

  private void large(String id) {
    task.request(largeRequest(id));
  }

  private TestRequest largeRequest(String id) {
    return new TestRequest(id)
        .lane("8k")
        .promptTokens(LARGE)
        .appendedMillis(router.elapsedMillis())
        .deadlineMillis(router.elapsedMillis() + 60_000);
  }

  private String heldFor(String requestId) {
    return new ReservedWorkers(router.parts().ledger()).workerFor(requestId).orElse("");
  }

  private int holds() {
    return new ReservedWorkers(router.parts().ledger()).size();
  }

  /** Small requests always wait, and what was sent is answered after a while. */
  private void stream(Duration duration) {
    for (long end = router.elapsedMillis() + duration.toMillis(); router.elapsedMillis() < end; ) {
      while (smallWaiting() < 8) {
        smallOnes.request(
            new TestRequest("small" + sent)
                .at(sent++)
                .appendedMillis(router.elapsedMillis())
                .deadlineMillis(router.elapsedMillis() + 30_000));
      }
      seenOfSmallOnes = run(smallOnes, seenOfSmallOnes);
      seenOfTask = run(task, seenOfTask);
      router.pass(Duration.ofMillis(20));
      if (!running.isEmpty() && running.getFirst().endMillis() <= router.elapsedMillis()) {
        running.removeFirst().complete();
      }
    }
  }

  private int run(VirtualTask of, int seen) {
    List<Assignment> assigned = of.effects.assigned;
    assigned.stream()
        .skip(seen)
        .map(sent -> new Running(of, sent.lease(), router.elapsedMillis() + ANSWER_MILLIS))
        .forEach(running::add);
    return assigned.size();
  }

  private int smallWaiting() {
    return sent - smallOnes.effects.assigned.size();
  }
}
