package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.OperatorOverride;
import io.sluice.router.TestWorker;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Where nothing is sent: by what everybody knows, and by what this router has seen itself. */
class LocalBreakersTest {
  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();
  private int requests;

  @Test
  void aKilledWorkerGetsNothingNewAfterTwoSecondsAlsoWhileTheRegistryIsAway() {
    // Given
    router.join(new TestWorker("killed").slots(1_000));
    router.join(new TestWorker("well").slots(1_000));
    router.registryAway();
    send(10);
    String killed = "killed";
    assertThat(task.effects.workers()).contains(killed);

    // When
    passWhileOthersAccept(Duration.ofMillis(2_100), killed);
    long sentSoFar = sentTo(killed);
    for (int i = 0; i < 30; i++) {
      send(5);
      passWhileOthersAccept(Duration.ofMillis(500), killed);
    }

    // Then
    assertThat(sentTo(killed)).isEqualTo(sentSoFar);
    assertThat(router.reportedTrips).isEmpty();
  }

  @Test
  void aWorkerThatBeatsButStaysUnresponsiveIsReportedToTheOthers() {
    // Given
    router.join(new TestWorker("deaf"));
    othersAreThere();
    send(1);

    // When
    router.pass(Duration.ofMillis(2_100));
    boolean reportedAtOnce = !router.reportedTrips.isEmpty();
    router.pass(Duration.ofSeconds(34));

    // Then
    assertThat(reportedAtOnce).isFalse();
    assertThat(router.reportedTrips).containsExactly("deaf");
  }

  @Test
  void aWorkerThatWasUnresponsiveIsTrustedAgainAtItsFirstWord() {
    // Given
    router.join(new TestWorker("slow").slots(1));
    othersAreThere();
    send(1);
    LeaseRef missed = task.effects.lastLease();
    router.pass(Duration.ofSeconds(4));
    assertThat(task.effects.workers()).hasSize(1);

    // When
    task.outcome(missed, new Outcome.Accepted());
    router.pass(Duration.ofMillis(40));

    // Then
    assertThat(task.effects.workers()).hasSize(2);
  }

  @Test
  void whenMostWorkersAreUnresponsiveTheFaultIsOnTheWayAndNoWorkerIsAvoidedForIt() {
    // Given
    router.join(new TestWorker("w1").slots(100));
    router.join(new TestWorker("w2").slots(100));
    send(20);

    // When
    router.pass(Duration.ofMillis(2_100));
    router.beat("w1");
    router.beat("w2");
    long sentSoFar = task.effects.workers().size();
    send(10);
    router.pass(Duration.ofSeconds(40));

    // Then
    assertThat(task.effects.workers().size()).isGreaterThanOrEqualTo((int) sentSoFar + 10);
    assertThat(router.reportedTrips).isEmpty();
  }

  @Test
  void theLeasesOfOtherRoutersDoNotKeepThisOneFromProbing() {
    // Given
    router.join(new TestWorker("w1").slots(100));
    for (int i = 0; i < 5; i++) {
      fail(send(1));
    }
    long whenOpened = sentTo("w1");
    router.join(new TestWorker("w1").slots(100).held("another router", 40).sequence(1_000));

    // When
    send(10);
    router.pass(Duration.ofSeconds(31));

    // Then
    assertThat(sentTo("w1")).isEqualTo(whenOpened + 3);
  }

  @Test
  void anotherLifeOfAUnresponsiveWorkerBeginsWithoutAPast() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    send(1);
    router.pass(Duration.ofSeconds(3));

    // When
    router.join(new TestWorker("w1").slots(1).incarnation("second"));
    router.pass(Duration.ofMillis(40));

    // Then
    assertThat(task.effects.lastLease().incarnation()).isEqualTo("second");
  }

  @Test
  void fiveFailedAttemptsInARowKeepAWorkerAwayForHalfAMinuteAndThreeProbesBringItBack() {
    // Given
    router.join(new TestWorker("bad").slots(100));

    // When
    for (int i = 0; i < 5; i++) {
      fail(send(1));
    }
    long whenOpened = sentTo("bad");
    send(10);
    router.pass(Duration.ofSeconds(29));

    // Then
    assertThat(router.reportedTrips).containsExactly("bad");
    assertThat(sentTo("bad")).isEqualTo(whenOpened);

    // When
    router.pass(Duration.ofSeconds(1));

    // Then
    assertThat(sentTo("bad")).isEqualTo(whenOpened + 3);

    // When
    task.effects.assigned.stream()
        .skip(whenOpened)
        .limit(3)
        .toList()
        .forEach(assignment -> complete(assignment.lease()));
    router.pass(Duration.ofMillis(40));

    // Then
    assertThat(sentTo("bad")).isGreaterThan(whenOpened + 6);
  }

  @Test
  void threeProbesThatHaveBegunBringAWorkerBackBeforeTheyEnd() {
    // Given
    router.join(new TestWorker("bad").slots(100));
    for (int i = 0; i < 5; i++) {
      fail(send(1));
    }
    long whenOpened = sentTo("bad");
    send(10);
    router.pass(Duration.ofSeconds(30));
    assertThat(sentTo("bad")).isEqualTo(whenOpened + 3);

    // When
    task.effects.assigned.stream()
        .skip(whenOpened)
        .limit(3)
        .toList()
        .forEach(assignment -> task.outcome(assignment.lease(), started()));
    router.pass(Duration.ofMillis(40));

    // Then
    assertThat(sentTo("bad")).isGreaterThan(whenOpened + 6);
  }

  @Test
  void anEngineThatIsBusyIsNotOneThatFails() {
    // Given
    router.join(new TestWorker("busy").slots(100));

    // When
    for (int i = 0; i < 6; i++) {
      LeaseRef lease = send(1);
      task.outcome(lease, TestWorker.busy(60_000));
    }

    // Then
    assertThat(router.reportedTrips).isEmpty();
  }

  @Test
  void nothingIsSentToAWorkerWhoseSharedBreakerIsOpen() {
    // Given
    router.join(new TestWorker("w1"));
    router.breaker("w1", new BreakerEvent.Usage(0.95));
    send(1);
    boolean heldBack = task.effects.workers().isEmpty();

    // When
    router.breaker("w1", new BreakerEvent.Usage(0.5));
    router.pass(Duration.ofMillis(40));

    // Then
    assertThat(heldBack).isTrue();
    assertThat(task.effects.workers()).containsExactly("w1");
  }

  @Test
  void aHalfOpenWorkerGetsThreeRequestsAtOnce() {
    // Given
    router.join(new TestWorker("w1").slots(50));
    router.breaker("w1", new BreakerEvent.EngineDown());
    router.breaker("w1", new BreakerEvent.EngineUp());

    // When
    send(10);

    // Then
    assertThat(task.effects.workers()).hasSize(3);
  }

  @Test
  void anOperatorsWordCountsAlsoAgainstThisRoutersOwnEvidence() {
    // Given
    router.join(new TestWorker("bad").slots(100));
    for (int i = 0; i < 5; i++) {
      fail(send(1));
    }
    long whenOpened = sentTo("bad");

    // When
    router.breaker(
        "bad", new BreakerEvent.Overridden(OperatorOverride.FORCED_CLOSED, "it is mended"));
    send(10);

    // Then
    assertThat(sentTo("bad")).isGreaterThan(whenOpened + 3);
  }

  /** Workers of another model, so that one unresponsive worker is not most of them. */
  private void othersAreThere() {
    router.join(new TestWorker("other-1").models("qwen"));
    router.join(new TestWorker("other-2").models("qwen"));
  }

  private LeaseRef send(int count) {
    for (int i = 0; i < count; i++) {
      task.request(new TestRequest("r" + requests++));
    }
    return task.effects.assigned.isEmpty()
        ? new LeaseRef("none", 0, "none", "none", "none")
        : task.effects.lastLease();
  }

  private void fail(LeaseRef lease) {
    task.outcome(lease, TestWorker.failure(0));
  }

  private static Outcome.Started started() {
    return new Outcome.Started("sluice.replies", 0, 0, OptionalLong.empty(), OptionalInt.empty());
  }

  private void complete(LeaseRef lease) {
    task.outcome(lease, VirtualTask.completed());
  }

  private long sentTo(String worker) {
    return task.effects.workers().stream().filter(worker::equals).count();
  }

  /** Everybody but one accepts what he is sent, and reports progress. */
  private void passWhileOthersAccept(Duration duration, String unresponsive) {
    for (long millis = 0; millis < duration.toMillis(); millis += 20) {
      task.effects.assigned.stream().map(Assignment::lease).toList().stream()
          .filter(lease -> !lease.worker().equals(unresponsive))
          .filter(lease -> task.state(lease.requestId()).activeLease().isPresent())
          .forEach(lease -> task.outcome(lease, new Outcome.Progress(0)));
      router.pass(Duration.ofMillis(20));
    }
  }
}
