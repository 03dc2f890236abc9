package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Control;
import io.sluice.router.TestWorker;
import io.sluice.router.schedule.task.UnservedEvent;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Requests that wait for a worker of their model to start. */
class UnservedRequestsTest {
  private static final long START = VirtualRouter.START_EPOCH_MILLIS;

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @Test
  void aRequestForAModelWithoutWorkersWaitsUntilItsDeadlineAndIsToldOnce() {
    // Given
    router.join(new TestWorker("w1").models("mini"));
    task.request(new TestRequest("r").model("configured").deadlineMillis(60_000));

    // When
    router.pass(Duration.ofSeconds(30));

    // Then
    assertThat(router.events.unserved).hasSize(1);
    UnservedEvent unserved = router.events.unserved.getFirst();
    assertThat(unserved.metadata().requestId()).isEqualTo("r");
    assertThat(unserved.sinceEpochMillis()).isBetween(START, START + 4_000);
    assertThat(unserved.known()).isTrue();
    assertThat(router.events.log).noneMatch(event -> event.startsWith("refused"));

    // When
    router.pass(Duration.ofSeconds(31));

    // Then
    assertThat(router.events.log).anyMatch(event -> event.startsWith("refused"));
  }

  @Test
  void aWorkerThatStartsGetsIt() {
    // Given
    task.request(new TestRequest("r"));
    router.pass(Duration.ofSeconds(10));

    // When
    router.join(new TestWorker("w1"));
    router.pass(Duration.ofSeconds(1));

    // Then
    assertThat(task.effects.requests()).containsExactly("r");
  }

  @Test
  void anotherDeadlineIsToldAndTheStartStays() {
    // Given
    task.request(new TestRequest("r").deadlineMillis(60_000));
    router.pass(Duration.ofSeconds(5));

    // When
    task.control(new Control.Extend("r", START + 600_000));
    router.pass(Duration.ofSeconds(5));

    // Then
    assertThat(router.events.unserved)
        .extracting(unserved -> unserved.metadata().deadlineEpochMillis())
        .containsExactly(START + 60_000, START + 600_000);
    assertThat(router.events.unserved.getLast().sinceEpochMillis())
        .isEqualTo(router.events.unserved.getFirst().sinceEpochMillis());
  }

  @Test
  void whatOnlyWaitsForRoomIsNotHeld() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    task.request(new TestRequest("running"));
    task.request(new TestRequest("waiting"));

    // When
    router.pass(Duration.ofSeconds(3));

    // Then
    assertThat(router.events.unserved).isEmpty();

    // When its worker is gone
    router.leave("w1");
    router.pass(Duration.ofSeconds(10));

    // Then
    assertThat(router.events.unserved)
        .extracting(unserved -> unserved.metadata().requestId())
        .contains("waiting");
  }

  /** Otherwise every router that cannot reach Redis would tell so. */
  @Test
  void whileTheFleetIsNotKnownNoWorkerIsTakenForMissing() {
    router.registryAway();
    task.request(new TestRequest("r"));

    router.pass(Duration.ofSeconds(5));

    assertThat(router.events.unserved).isEmpty();
  }

  @Test
  void ofManyNoneIsForgotten() {
    for (int number = 0; number < 250; number++) {
      task.request(new TestRequest("r" + number));
    }

    router.pass(Duration.ofSeconds(5));

    assertThat(router.events.unserved)
        .extracting(unserved -> unserved.metadata().requestId())
        .hasSize(250)
        .doesNotHaveDuplicates();
  }
}
