package io.sluice.router.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ActivityPeriodsTest {
  private static final RequestKind KIND = kind("llama");

  private final ActivityPeriods streaks = new ActivityPeriods(Duration.ofSeconds(2));

  /** Close to where the clock's numbers wrap around. */
  private long nanos = Long.MAX_VALUE - Duration.ofSeconds(3).toNanos();

  @Test
  void aStreakLastsFromTheFirstTimeToTheLast() {
    // When
    happens(11, Duration.ofSeconds(1));
    nanos += Duration.ofMillis(500).toNanos();

    // Then
    assertThat(lasting(Duration.ofMinutes(1))).contains(Duration.ofSeconds(10));
  }

  @Test
  void whatWasBeforeTheTimeThatIsAskedForDoesNotCount() {
    // When
    happens(11, Duration.ofSeconds(1));

    // Then
    assertThat(lasting(Duration.ofSeconds(4))).contains(Duration.ofSeconds(4));
    assertThat(lasting(Duration.ZERO)).contains(Duration.ZERO);
  }

  @Test
  void inAPauseThereIsNone() {
    // Given
    happens(11, Duration.ofSeconds(1));

    // When
    nanos += Duration.ofMillis(2_001).toNanos();

    // Then
    assertThat(lasting(Duration.ofMinutes(1))).isEmpty();
  }

  @Test
  void afterAPauseAnotherOneBegins() {
    // Given
    happens(11, Duration.ofSeconds(1));
    nanos += Duration.ofSeconds(2).toNanos();

    // When
    happens(3, Duration.ofSeconds(1));

    // Then
    assertThat(lasting(Duration.ofMinutes(1))).contains(Duration.ofSeconds(2));
  }

  @Test
  void aKindSaysNothingOfAnother() {
    // When
    happens(11, Duration.ofSeconds(1));

    // Then
    assertThat(streaks.lasting(kind("qwen"), nanos, nanos)).isEmpty();
  }

  @Test
  void manyOtherKindsDoNotDriveOutTheOneThatGoesOnAmongThem() {
    // When
    for (int i = 0; i < 5_000; i++) {
      streaks.happened(kind("model" + i), nanos);
      streaks.happened(KIND, nanos);
    }

    // Then
    assertThat(streaks.lasting(kind("model0"), nanos, nanos)).isEmpty();
    assertThat(streaks.lasting(KIND, nanos, nanos)).contains(Duration.ZERO);
  }

  private Optional<Duration> lasting(Duration before) {
    return streaks.lasting(KIND, nanos - before.toNanos(), nanos);
  }

  private void happens(int times, Duration apart) {
    for (int i = 0; i < times; i++) {
      nanos += apart.toNanos();
      streaks.happened(KIND, nanos);
    }
  }

  private static RequestKind kind(String model) {
    return new RequestKind(model, "2k", List.of("fast"), List.of());
  }
}
