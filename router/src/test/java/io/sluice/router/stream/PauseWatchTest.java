package io.sluice.router.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PauseWatchTest {
  private long nanos = -3_000_000_000L;
  private final PauseWatch watch = new PauseWatch(() -> nanos);

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
    nanos += PauseWatch.LONG.toNanos() + 1;

    // Then
    assertThat(watch.pauses()).isOne();
    assertThat(watch.pauses()).isOne();
  }

  private void pass(Duration duration) {
    nanos += duration.toNanos();
    watch.pauses();
  }
}
