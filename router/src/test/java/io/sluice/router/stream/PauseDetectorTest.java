package io.sluice.router.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PauseDetectorTest {
  private long nanos = -3_000_000_000L;
  private final PauseDetector watch = new PauseDetector(() -> nanos);

  @Test
  void aProcessThatRunsHasNoPauses() {
    for (int beats = 0; beats < 100; beats++) {
      pass(Duration.ofMillis(250));
    }
    assertThat(watch.pauses()).isZero();
  }

  @Test
  void aPauseIsSeenByWhoeverAsksFirstAndCountsOnce() {
    // Given
    pass(Duration.ofSeconds(1));

    // When
    nanos += PauseDetector.LONG.toNanos() + 1;

    // Then
    assertThat(watch.pauses()).isOne();
    assertThat(watch.pauses()).isOne();
  }

  private void pass(Duration duration) {
    nanos += duration.toNanos();
    watch.pauses();
  }
}
