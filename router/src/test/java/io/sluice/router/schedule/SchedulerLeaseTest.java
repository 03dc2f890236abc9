package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.TestWorker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When a lease is over without a word from its worker, and when it is not. */
class SchedulerLeaseTest {
  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @Test
  void aLeaseThatIsNotAcceptedWithinTwoSecondsIsTakenBack() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r"));
    LeaseRef lease = task.effects.lastLease();

    // When
    router.pass(Duration.ofSeconds(2));
    boolean heldForTwoSeconds = task.effects.revoked.isEmpty();
    router.pass(Duration.ofMillis(40));

    // Then
    assertThat(heldForTwoSeconds).isTrue();
    assertThat(task.effects.revoked).containsExactly(lease);
    assertThat(router.events.log).contains("requeued r not_accepted");
  }

  @Test
  void aWorkerThatFallsSilentLosesItsLeasesWithinTwoSeconds() {
    // Given
    join("w1", "w2", "w3");
    LeaseRef lease = startOn("w1");
    router.silence("w1");

    // When
    router.pass(Duration.ofSeconds(2));

    // Then
    assertThat(router.events.log).contains("requeued r worker_silent");
    assertThat(task.effects.revoked).first().isEqualTo(lease);
    assertThat(task.effects.workers()).hasSize(2).last().isNotEqualTo("w1");
  }

  @Test
  void aWorkerWhoseHeartbeatsAreLostKeepsItsLeasesWhileItReports() {
    // Given
    join("w1", "w2", "w3");
    LeaseRef lease = startOn("w1");
    router.silence("w1");

    // When
    keepAlive(lease, Duration.ofSeconds(10));

    // Then
    assertThat(task.effects.revoked).isEmpty();
  }

  @Test
  void aWorkerWhoseHeartbeatsCameLateBeforeIsGivenThreeTimesAsLong() {
    // Given
    join("w1", "w2", "w3");
    LeaseRef lease = startOn("w1");
    router.longestGap(Duration.ofMillis(900));
    router.silence("w1");

    // When
    router.pass(Duration.ofMillis(2_600));
    boolean heldSoFar = task.effects.revoked.isEmpty();
    router.pass(Duration.ofMillis(600));

    // Then
    assertThat(heldSoFar).isTrue();
    assertThat(task.effects.revoked).containsExactly(lease);
  }

  @Test
  void silenceCountsUpToTheLastReadingOfTheRegistryOnly() {
    // Given
    join("w1", "w2", "w3");
    startOn("w1");
    router.registryRead(Duration.ofMillis(900));
    router.silence("w1");

    // When
    router.pass(Duration.ofMillis(2_300));

    // Then
    assertThat(task.effects.revoked).isEmpty();
  }

  @Test
  void whenMostOfTheFleetFallsSilentAtOnceLeasesLastOnePeriodLonger() {
    // Given
    join("w1", "w2", "w3");
    LeaseRef lease = startOn("w1");
    router.silence("w1");
    router.silence("w2");

    // When
    router.pass(Duration.ofMillis(2_700));
    boolean heldSoFar = task.effects.revoked.isEmpty();
    router.pass(Duration.ofMillis(800));

    // Then
    assertThat(heldSoFar).isTrue();
    assertThat(task.effects.revoked).containsExactly(lease);
  }

  @Test
  void aWorkerThatSignsOffLosesItsLeasesAtOnce() {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef lease = task.start(new TestRequest("r"));

    // When
    router.leave("w1");
    router.pass(Duration.ofMillis(20));

    // Then
    assertThat(task.effects.revoked).containsExactly(lease);
    assertThat(router.events.log).contains("requeued r worker_gone");
  }

  @Test
  void anotherIncarnationOfAWorkerHoldsNoneOfTheOldLeases() {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef lease = task.start(new TestRequest("r"));

    // When
    router.join(new TestWorker("w1").incarnation("second"));
    router.pass(Duration.ofMillis(20));

    // Then
    assertThat(task.effects.revoked).containsExactly(lease);
    assertThat(task.effects.lastLease().incarnation()).isEqualTo("second");
  }

  @Test
  void sixSecondsWithoutProgressEndALeaseHoweverHealthyTheWorker() {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef lease = task.start(new TestRequest("r"));

    // When
    router.pass(Duration.ofSeconds(6));
    boolean heldForSixSeconds = task.effects.revoked.isEmpty();
    router.pass(Duration.ofMillis(40));

    // Then
    assertThat(heldForSixSeconds).isTrue();
    assertThat(task.effects.revoked).containsExactly(lease);
    assertThat(router.events.log).contains("requeued r no_progress");
  }

  @Test
  void progressKeepsALeaseAlive() {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef lease = task.start(new TestRequest("r"));

    // When
    keepAlive(lease, Duration.ofSeconds(20));

    // Then
    assertThat(task.effects.revoked).isEmpty();
    assertThat(task.stateName("r")).isEqualTo("started");
  }

  @Test
  void whileTheRegistryIsAwayOnlyMissingProgressEndsALease() {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef lease = task.start(new TestRequest("r"));
    router.registryAway();

    // When
    router.pass(Duration.ofMillis(5_900));
    boolean heldWithoutHeartbeats = task.effects.revoked.isEmpty();
    router.pass(Duration.ofMillis(200));

    // Then
    assertThat(heldWithoutHeartbeats).isTrue();
    assertThat(task.effects.revoked).containsExactly(lease);
  }

  @Test
  void afterAPauseOfItsOwnTheRouterWaitsForNewsBeforeItEndsLeases() {
    // Given
    router.join(new TestWorker("w1"));
    task.start(new TestRequest("r"));

    // When
    router.freeze(Duration.ofSeconds(10));
    router.pass(Duration.ofSeconds(3));

    // Then
    assertThat(task.effects.revoked).isEmpty();
  }

  @Test
  void aShortPauseOfItsOwnDoesNotMakeAnAcceptanceLate() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r"));
    LeaseRef lease = task.effects.lastLease();

    // When
    router.freeze(Duration.ofMillis(2_500));
    router.tick();
    task.outcome(lease, new Outcome.Accepted());
    router.pass(Duration.ofSeconds(3));

    // Then
    assertThat(task.effects.revoked).isEmpty();
  }

  @Test
  void whatWasSilentBeforeAPauseIsStillFoundOutAfterIt() {
    // Given
    join("w1", "w2", "w3");
    LeaseRef lease = startOn("w1");
    router.freeze(Duration.ofSeconds(10));
    router.beat("w1");
    router.silence("w1");

    // When
    router.pass(Duration.ofSeconds(4));

    // Then
    assertThat(task.effects.revoked).containsExactly(lease);
  }

  @Test
  void aTaskThatMayHaveBeenTakenAwayActsOnNothingBeforeItHasPolledAgain() {
    // Given
    task.request(new TestRequest("r").deadlineMillis(5_000));
    router.freeze(Duration.ofSeconds(10));

    // When
    router.tick();
    boolean didNothing = task.effects.log.isEmpty();
    router.tick();

    // Then
    assertThat(didNothing).isTrue();
    assertThat(task.effects.log).contains("terminal:deadline_exceeded");
  }

  @Test
  void aNewTaskEndsNoLeaseBeforeItHasSettled() {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef lease = task.start(new TestRequest("r"));
    router.leave("w1");

    // When
    router.crash();
    router.pass(Duration.ofMillis(1_980));
    boolean heldWhileSettling = task.effects.revoked.isEmpty();
    router.pass(Duration.ofMillis(60));

    // Then
    assertThat(heldWhileSettling).isTrue();
    assertThat(task.effects.revoked).containsExactly(lease);
  }

  private void join(String... workers) {
    for (String worker : workers) {
      router.join(new TestWorker(worker));
    }
  }

  /** Runs request "r" on that worker, whichever the policy would prefer. */
  private LeaseRef startOn(String worker) {
    router.workers().stream()
        .filter(other -> !other.id().equals(worker))
        .forEach(other -> other.engineUp(false));
    LeaseRef lease = task.start(new TestRequest("r"));
    router.workers().forEach(other -> other.engineUp(true));
    task.effects.revoked.clear();
    return lease;
  }

  private void keepAlive(LeaseRef lease, Duration duration) {
    for (long millis = 0; millis < duration.toMillis(); millis += 100) {
      router.pass(Duration.ofMillis(100));
      if (millis % 1_000 == 0 && task.state("r").activeLease().filter(lease::equals).isPresent()) {
        task.outcome(lease, new Outcome.Progress((int) millis));
      }
    }
  }
}
