package io.sluice.router.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RhythmTest {
  private final HeartbeatIntervals rhythm = new HeartbeatIntervals(0);

  @Test
  void beatsThatComeAsTheyShouldLeaveNoGap() {
    // When
    rhythm.gap(millis(490), millis(490));

    // Then
    assertThat(rhythm.longest()).isZero();
  }

  @Test
  void theLongestGapIsRememberedForHalfAMinuteAtLeastAndAMinuteAtMost() {
    // Given
    rhythm.gap(millis(900), millis(1_000));
    rhythm.gap(millis(700), millis(29_000));

    // When
    rhythm.gap(millis(250), millis(31_000));
    Duration later = rhythm.longest();
    rhythm.gap(millis(250), millis(62_000));

    // Then
    assertThat(later).isEqualTo(Duration.ofMillis(900));
    assertThat(rhythm.longest()).isZero();
  }

  private static long millis(long millis) {
    return Duration.ofMillis(millis).toNanos();
  }
}
