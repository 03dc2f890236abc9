package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.router.TestWorker;
import io.sluice.router.queue.Backlog;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The bytes of waiting requests are bounded, whatever they are and however they came to wait. */
class BacklogBytesTest {
  /** What a request of the test takes; all have names of one character. */
  private static final long ONE = new TestRequest("r").metadata().heapBytes();

  /** Two fit, and a third one all but one byte. */
  private static final long BOUND = 3 * ONE - 1;

  private final VirtualRouter router = new VirtualRouter(new Backlog.Limits(1_000, BOUND));
  private final VirtualTask task = router.settledTask();

  @ParameterizedTest
  @EnumSource(Priority.class)
  void requestsBeyondTheBoundInBytesAreRefusedAsOverloaded(Priority priority) {
    // Given
    fill();

    // When
    task.request(new TestRequest("c").priority(priority));

    // Then
    assertThat(task.effects.log).containsExactly("terminal:overloaded");
    assertThat(bytes()).isEqualTo(2 * ONE);
  }

  @Test
  void aTaskThatIsStillBeingRestoredTakesItsShareOfTheBounds() {
    // Given
    router.startedShare = 0.5;
    task.request(new TestRequest("a"));

    // When
    task.request(new TestRequest("b"));
    router.startedShare = 1;
    task.request(new TestRequest("c"));

    // Then
    assertThat(task.effects.log).containsExactly("terminal:overloaded");
    assertThat(bytes()).isEqualTo(2 * ONE);
  }

  @Test
  void bulkCountsLikeAnyOther() {
    // When
    task.request(new TestRequest("a").priority(Priority.BULK));
    task.request(new TestRequest("b").priority(Priority.URGENT));

    // Then
    assertThat(bytes()).isEqualTo(2 * ONE);
  }

  @Test
  void longNamesCountForWhatTheyTake() {
    // When
    task.request(new TestRequest("a").tenant("t".repeat(200)));

    // Then
    assertThat(bytes()).isGreaterThan(ONE + 2 * 190);
  }

  @Test
  void aRequestThatIsMoreThanTheBoundIsServedWhereNothingElseWaits() {
    // When
    task.request(new TestRequest("a").tenant("t".repeat(2_000)));
    task.request(new TestRequest("b"));

    // Then
    assertThat(task.stateName("a")).isEqualTo("pending");
    assertThat(task.effects.log).containsExactly("terminal:overloaded");
  }

  @Test
  void aRequestThatIsSentMakesRoomForAnother() {
    // Given
    fill();

    // When
    router.join(new TestWorker("w1").slots(1));
    router.pass(Duration.ofMillis(20));

    // Then
    assertNextIsTaken();
  }

  @Test
  void aRequestThatIsCancelledMakesRoomForAnother() {
    // Given
    fill();

    // When
    task.control(new Control.Cancel("a"));

    // Then
    assertNextIsTaken();
  }

  @Test
  void aRequestWhoseDeadlinePassesMakesRoomForAnother() {
    // Given
    task.request(new TestRequest("a").deadlineMillis(router.elapsedMillis() + 100));
    task.request(new TestRequest("b"));

    // When
    router.pass(Duration.ofMillis(120));

    // Then
    assertNextIsTaken();
  }

  @Test
  void aRequestOfAnotherPriorityOrDeadlineStillCountsOnce() {
    // Given
    task.request(new TestRequest("a").priority(Priority.BULK));

    // When
    task.control(new Control.Reprioritise("a", Priority.URGENT));
    task.control(new Control.Extend("a", VirtualRouter.START_EPOCH_MILLIS + 300_000));

    // Then
    assertThat(bytes()).isEqualTo(ONE);
  }

  @Test
  void aRequestThatIsGivenBackCountsAgain() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    task.request(new TestRequest("a"));
    LeaseRef lease = task.effects.lastLease();
    long whileItRuns = bytes();

    // When
    router.leave("w1");
    task.outcome(lease, new Outcome.Returned(Outcome.ReturnReason.DRAINING, 0));

    // Then
    assertThat(whileItRuns).isZero();
    assertThat(bytes()).isEqualTo(ONE);
  }

  @Test
  void aTaskThatIsClosedGivesItsBytesBack() {
    // Given
    fill();

    // When
    task.scheduler().close();

    // Then
    assertThat(bytes()).isZero();
  }

  @Test
  void aRouterThatFindsMoreThanItsBoundServesItAllAndTakesNothingNewUntilThereIsRoom() {
    // Given
    VirtualTask filled = new VirtualRouter(1_000).settledTask();
    for (int i = 0; i < 5; i++) {
      TestRequest request = new TestRequest(Integer.toString(i));
      filled.request(request);
      router.bodies.came(request.metadata().source(), request.body());
    }
    task.store.goBackTo(filled.store.copy());

    // When
    router.crash();
    router.pass(Duration.ofMillis(20));
    task.request(new TestRequest("n"));

    // Then
    assertThat(bytes()).isEqualTo(5 * ONE);
    assertThat(task.effects.log).containsExactly("terminal:overloaded");

    // When
    router.join(new TestWorker("w1").slots(10));
    router.pass(Duration.ofMillis(20));

    // Then
    for (int i = 0; i < 5; i++) {
      assertThat(task.stateName(Integer.toString(i))).isEqualTo("leased");
    }
    assertThat(bytes()).isZero();
  }

  private void fill() {
    task.request(new TestRequest("a"));
    task.request(new TestRequest("b"));
  }

  private void assertNextIsTaken() {
    task.effects.clear();
    task.request(new TestRequest("n"));
    assertThat(task.stateName("n")).isEqualTo("pending");
    assertThat(task.effects.log).isEmpty();
  }

  private long bytes() {
    return router.parts().backlog().pendingBytes();
  }
}
