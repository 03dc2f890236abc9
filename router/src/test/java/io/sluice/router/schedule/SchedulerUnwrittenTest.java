package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.TestWorker;
import io.sluice.router.lease.LeaseWatch;
import io.sluice.router.placement.Ledger;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * An assignment does not get into the log: its worker's topic takes nothing, or the router died.
 */
class SchedulerUnwrittenTest {
  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @Test
  void aRequestWhoseAssignmentCannotBeWrittenGoesToAnotherWorkerAtOnceAndLosesNothing() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r"));
    LeaseRef lease = task.effects.lastLease();
    router.join(new TestWorker("w2"));

    // When
    task.scheduler().notAssigned(lease, router.now());
    router.pass(Duration.ofMillis(20));

    // Then
    assertThat(task.effects.workers()).containsExactly("w1", "w2");
    assertThat(task.effects.revoked).containsExactly(lease);
    assertThat(task.history("r").failures()).isZero();
    assertThat(task.effects.assigned.getLast().fresh()).isFalse();
    assertThat(router.parts().ledger().at("w1")).isEqualTo(Ledger.Reserved.NONE);
    assertThat(router.reportedTrips).isEmpty();
  }

  @Test
  void anAssignmentThatItsWorkerHasAcceptedWasWrittenWhateverTheProducerSays() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r"));
    LeaseRef lease = task.effects.lastLease();
    task.outcome(lease, new Outcome.Accepted());

    // When
    task.scheduler().notAssigned(lease, router.now());

    // Then
    assertThat(task.stateName("r")).isEqualTo("leased");
  }

  @Test
  void aLateWordOfAnAssignmentThatWasGivenAgainChangesNothing() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r"));
    LeaseRef first = task.effects.lastLease();
    router.join(new TestWorker("w2"));
    task.scheduler().notAssigned(first, router.now());
    router.pass(Duration.ofMillis(20));

    // When
    task.scheduler().notAssigned(first, router.now());

    // Then
    assertThat(task.state("r").activeLease()).hasValue(task.effects.lastLease());
  }

  @Test
  void aWorkerWhoseTopicTakesNothingGetsNothingAndTheOthersServe() {
    // Given
    router.join(new TestWorker("w1"));
    router.join(new TestWorker("w2"));
    router.topicMissing("sluice.worker.w1");

    // When
    for (int i = 0; i < 3; i++) {
      task.request(new TestRequest("r" + i));
    }

    // Then
    assertThat(task.effects.workers()).containsExactly("w2", "w2", "w2");
  }

  @Test
  void anAssignmentThatDiedWithItsRouterIsGivenAgainByTheNextWhichFoundTheLease() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(new TestRequest("r"));
    task.effects.clear();
    router.crash();

    // When
    router.pass(LeaseWatch.SETTLE.plus(LeaseWatch.PROGRESS_WITHIN));

    // Then
    assertThat(task.effects.assigned).hasSize(1);
    assertThat(task.effects.assigned.getFirst().lease().attempt()).isEqualTo(2);
    assertThat(task.effects.assigned.getFirst().fresh()).isFalse();
  }
}
