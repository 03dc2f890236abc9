package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.router.TestWorker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Which tiers and engines a request may come to, whatever their load. */
class SchedulerTierTest {
  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @Test
  void aRequestThatMustNotGoToTheQuickestTierWaitsRather() {
    // Given
    router.join(new TestWorker("quick").tier("fast"));

    // When
    task.request(new TestRequest("code").tiers("balanced", "precise"));
    router.pass(Duration.ofSeconds(1));

    // Then
    assertThat(task.effects.assigned).isEmpty();

    // When
    router.join(new TestWorker("exact").tier("precise"));
    router.pass(Duration.ofMillis(40));

    // Then
    assertThat(task.effects.workers()).containsExactly("exact");
  }

  @Test
  void aTierThatIsFullLeavesItsRequestsToItsNeighbour() {
    // Given
    router.join(new TestWorker("quick").tier("fast").slots(1));
    router.join(new TestWorker("exact").tier("precise").slots(8));

    // When
    task.request(new TestRequest("a").tiers("fast", "precise"));
    task.request(new TestRequest("b").tiers("fast", "precise"));

    // Then
    assertThat(task.effects.workers()).containsExactly("quick", "exact");
  }

  @Test
  void anOptionThatOneEngineRefusesGoesToOneThatTakesIt() {
    // Given
    router.join(new TestWorker("drafting").refuses("best_of"));
    router.join(new TestWorker("plain").slots(100));

    // When
    for (int i = 0; i < 20; i++) {
      task.request(new TestRequest("r" + i).needs("best_of"));
    }

    // Then
    assertThat(task.effects.workers()).hasSize(20).containsOnly("plain");
    assertThat(router.events.log).noneMatch(event -> event.startsWith("corrected"));
  }
}
