package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Priority;
import io.sluice.router.TestWorker;
import io.sluice.router.demand.DemandKey;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What open requests ask of workers, from their arrival to their end. */
class SchedulerDemandTest {
  private static final DemandKey KEY = new DemandKey("llama", "fast", false);

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();
  private final long tokens = new TestRequest("any").metadata().contextTokens();

  /** A worker that has taken the whole backlog must not look idle. */
  @Test
  void aRequestCountsFromItsArrivalUntilItsAnswer() {
    // When
    task.request(new TestRequest("r").tiers("fast", "precise"));

    // Then
    assertThat(waiting(KEY)).isEqualTo(tokens);
    assertThat(running(KEY)).isZero();

    // When
    router.join(new TestWorker("w1").tier("precise"));
    router.tick();

    // Then
    assertThat(waiting(KEY)).isZero();
    assertThat(running(KEY)).isEqualTo(tokens);

    // When
    task.outcome(task.effects.lastLease(), VirtualTask.completed());

    // Then
    assertThat(running(KEY)).isZero();
  }

  @Test
  void aRouterThatTakesOverCountsWhatWaitsAndWhatRuns() {
    // Given
    router.join(new TestWorker("w1").tier("fast").slots(1));
    task.request(new TestRequest("running").tiers("fast"));
    task.request(
        new TestRequest("bulk").tiers("fast").priority(Priority.BULK).deadlineMillis(600_000));

    // When
    router.crash();
    router.pass(Duration.ofMillis(100));

    // Then
    assertThat(running(KEY)).isEqualTo(tokens);
    assertThat(waiting(new DemandKey("llama", "fast", true))).isEqualTo(tokens);
    assertThat(waiting(KEY)).isZero();
  }

  @Test
  void whatStopsTakesItsDemandWithIt() {
    // Given
    router.join(new TestWorker("w1").slots(1));
    task.request(new TestRequest("running"));
    task.request(new TestRequest("waiting"));

    // When
    task.scheduler().close();

    // Then
    assertThat(router.parts().backlog().demand().sums(0)).isEmpty();
    assertThat(router.parts().ledger().running().sums(0)).isEmpty();
  }

  private long waiting(DemandKey key) {
    var sum = router.parts().backlog().demand().sums(0).get(key);
    return sum == null ? 0 : sum.tokens();
  }

  private long running(DemandKey key) {
    var sum = router.parts().ledger().running().sums(0).get(key);
    return sum == null ? 0 : sum.tokens();
  }
}
