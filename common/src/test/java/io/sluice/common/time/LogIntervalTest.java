package io.sluice.common.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LogIntervalTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final LogInterval interval = new LogInterval(Duration.ofNanos(10), nanos::get);

  @Test
  void theFirstLineIsDueAtOnce() {
    assertThat(interval.isDue()).isTrue();
    assertThat(interval.isDue()).isFalse();
  }

  @Test
  void theNextOneIsDueAfterTheIntervalAlsoIfTheClockOverflows() {
    // Given
    assertThat(interval.isDue()).isTrue();

    // When, Then
    nanos.addAndGet(9);
    assertThat(interval.isDue()).isFalse();
    nanos.addAndGet(1);
    assertThat(interval.isDue()).isTrue();
    assertThat(interval.isDue()).isFalse();
  }
}
