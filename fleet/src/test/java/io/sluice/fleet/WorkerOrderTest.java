package io.sluice.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WorkerOrderTest {
  private static final long NOW = 1_800_000_000_000L;
  private static final WorkerOrder TIMED =
      new WorkerOrder(
          true, Optional.of(Duration.ofMinutes(20)), Optional.of(Duration.ofSeconds(9)));

  @Test
  void ordersAreReadAsTheyWereGiven() {
    assertThat(WorkerOrder.DRAIN.text(NOW)).isEqualTo("drain");
    assertThat(WorkerOrder.parse("drain", NOW)).contains(WorkerOrder.DRAIN);
    assertThat(WorkerOrder.parse(WorkerOrder.RESUME.text(NOW), NOW)).contains(WorkerOrder.RESUME);
    assertThat(WorkerOrder.parse(TIMED.text(NOW), NOW)).contains(TIMED);
  }

  @Test
  void aDrainEndsWithItsTime() {
    String text = TIMED.text(NOW);

    assertThat(WorkerOrder.parse(text, NOW + 1_199_999).orElseThrow().isDrain()).isTrue();
    assertThat(WorkerOrder.parse(text, NOW + 1_200_000)).contains(WorkerOrder.RESUME);
  }

  @Test
  void anythingElseIsNotAnOrder() {
    assertThat(WorkerOrder.parse("", NOW)).isEmpty();
    assertThat(WorkerOrder.parse("drain until=soon", NOW)).isEmpty();
    assertThat(WorkerOrder.parse("drain within=-1", NOW)).isEmpty();
    assertThat(WorkerOrder.parse("dance", NOW)).isEmpty();
  }
}
