package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Control;
import io.sluice.router.TestWorker;
import io.sluice.router.request.RequestMetadata;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests whose records are not at hand when their turn comes: they are read from the log. */
class SchedulerRereadTest {
  private static final Duration A_TICK = Duration.ofMillis(20);

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @BeforeEach
  void whatIsNotAtHandTakesAWhile() {
    router.bodies.slow();
  }

  @Test
  void aRequestIsSentOnceItsRecordIsReadAndHoldsNoSlotUntilThen() {
    // Given
    waitsWithoutItsRecord(new TestRequest("r"));

    // When
    router.join(new TestWorker("w1").slots(1));
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.assigned).isEmpty();
    assertThat(router.parts().ledger().at("w1").leases()).isZero();

    // When
    router.bodies.arrive();
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.requests()).containsExactly("r");
    assertThat(router.parts().ledger().at("w1").leases()).isEqualTo(1);
  }

  @Test
  void nothingIsReadForARequestThatNoWorkerHasRoomFor() {
    // Given
    waitsWithoutItsRecord(new TestRequest("r"));

    // When
    router.join(new TestWorker("w1").slots(0));
    router.pass(A_TICK);

    // Then
    assertThat(router.bodies.asked()).isEmpty();
  }

  @Test
  void whatIsAtHandGoesFirstToAWorkerThatHasRoom() {
    // Given
    waitsWithoutItsRecord(new TestRequest("old").at(1));
    task.request(new TestRequest("new").at(2));

    // When
    router.join(new TestWorker("w1").slots(1));
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.requests()).containsExactly("new");
  }

  @Test
  void ofALongQueueOnlyTheHeadIsRead() {
    // Given
    for (int i = 0; i < 100; i++) {
      waitsWithoutItsRecord(new TestRequest("r" + i).at(i));
    }

    // When
    router.join(new TestWorker("w1").slots(1_000));
    router.pass(A_TICK);

    // Then
    assertThat(router.bodies.asked()).hasSizeBetween(8, 32);
    assertThat(router.bodies.asked())
        .extracting(RequestMetadata.Source::offset)
        .contains(0L, 1L, 7L);
  }

  @Test
  void allOfALongQueueIsSentInItsOrder() {
    // Given
    for (int i = 0; i < 100; i++) {
      waitsWithoutItsRecord(new TestRequest("r" + i).at(i));
    }
    router.join(new TestWorker("w1").slots(1_000));

    // When
    for (int i = 0; i < 20; i++) {
      router.bodies.arrive();
      router.pass(A_TICK);
    }

    // Then
    assertThat(task.effects.requests()).hasSize(100).startsWith("r0", "r1", "r2");
  }

  @Test
  void aRequestThatIsCancelledWhileItsRecordIsReadIsNotSent() {
    // Given
    waitsWithoutItsRecord(new TestRequest("r"));
    router.join(new TestWorker("w1"));
    router.pass(A_TICK);

    // When
    task.control(new Control.Cancel("r"));
    router.bodies.arrive();
    router.pass(A_TICK);

    // Then
    assertThat(task.effects.log).containsExactly("terminal:cancelled");
    assertThat(router.parts().ledger().leases()).isZero();
  }

  @Test
  void aDeadLetterOfARequestWhoseRecordIsNotAtHandHasItsBody() {
    // Given
    TestRequest request = new TestRequest("r").deadlineMillis(router.elapsedMillis() + 100);
    waitsWithoutItsRecord(request);

    // When
    router.pass(Duration.ofMillis(200));

    // Then
    assertThat(task.effects.deadLetters.getFirst().body().value())
        .isEqualTo(request.body().value());
  }

  private void waitsWithoutItsRecord(TestRequest request) {
    task.request(request);
    router.bodies.dropAll();
  }
}
