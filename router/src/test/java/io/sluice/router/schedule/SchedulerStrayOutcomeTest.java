package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.TestWorker;
import io.sluice.router.request.RequestState;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reports of leases other than the one that the store names. */
class SchedulerStrayOutcomeTest {
  private static final TestRequest REQUEST = new TestRequest("r").deadlineMillis(600_000);

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @BeforeEach
  void twoWorkers() {
    router.join(new TestWorker("w1"));
    router.join(new TestWorker("w2"));
  }

  @Test
  void anAnswerThatComesAfterItsLeaseWasEndedCountsWhileNoOtherWorkerWasAsked() {
    // Given
    router.leave("w2");
    router.beat("w1");
    LeaseRef lease = task.start(REQUEST);
    router.leave("w1");
    router.pass(Duration.ofMillis(40));

    // When
    task.outcome(lease, VirtualTask.completed());

    // Then
    assertThat(task.stateName("r")).isEqualTo("ended");
    assertThat(task.effects.terminals).isEmpty();
    assertThat(router.events.log).last().isEqualTo("answered r");
    assertThat(router.parts().backlog().pending()).isZero();
  }

  @Test
  void anAnswerOfAnOlderLeaseDoesNotEndWhatAnotherWorkerHasTakenUp() {
    // Given
    LeaseRef first = task.start(REQUEST);
    router.leave(first.worker());
    router.pass(Duration.ofMillis(40));

    // When
    task.outcome(first, VirtualTask.completed());

    // Then
    assertThat(task.stateName("r")).isEqualTo("leased");
    assertThat(task.effects.lastLease().attempt()).isEqualTo(2);
  }

  @Test
  void aLeaseOfAHigherAttemptIsAdoptedAndTheKnownOneTakenBack() {
    // Given
    LeaseRef known = task.start(REQUEST);
    LeaseRef ahead = new LeaseRef("r", 4, "given-by-another-router", "w2", "first");

    // When
    task.outcome(ahead, VirtualTask.started(77));

    // Then
    assertThat(task.effects.revoked).containsExactly(known);
    assertThat(task.state("r")).isEqualTo(new RequestState.Started(ahead));
    assertThat(task.history("r").attempts()).isEqualTo(4);
    assertThat(router.parts().ledger().at("w2").leases()).isEqualTo(1);
    assertThat(router.parts().ledger().at("w1").leases()).isZero();
  }

  @Test
  void aWorkerThatRunsAnUnassignedRequestIsToldToStop() {
    // Given
    LeaseRef orphan = new LeaseRef("unheard-of", 1, "orphan", "w1", "first");

    // When
    task.outcome(orphan, new Outcome.Progress(5));

    // Then
    assertThat(task.effects.revoked).containsExactly(orphan);
  }

  @Test
  void aWorkerIsToldOnceForReportsThatAreReadTogether() {
    // Given
    LeaseRef orphan = new LeaseRef("unheard-of", 1, "orphan", "w1", "first");
    for (int tokens = 1; tokens <= 20; tokens++) {
      task.outcome(orphan, new Outcome.Progress(tokens));
    }
    int told = task.effects.revoked.size();

    // When
    router.pass(RecentRevocations.REPEATED_AFTER);
    task.outcome(orphan, new Outcome.Progress(21));

    // Then
    assertThat(told).isEqualTo(1);
    assertThat(task.effects.revoked).containsExactly(orphan, orphan);
  }
}
