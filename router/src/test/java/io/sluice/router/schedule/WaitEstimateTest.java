package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WaitEstimateTest {
  private final WaitEstimate estimate = new WaitEstimate();
  private long nanos = -7_000_000_000L;

  @Test
  void nothingIsKnownBeforeAWholeWindowUnderLoad() {
    // When
    answers(9, 100, true, Duration.ofSeconds(1));

    // Then
    assertThat(estimate.wait("llama", 1_000_000, nanos)).isEmpty();
  }

  @Test
  void theRateIsThatOfAnswersWhileOthersWait() {
    // When
    answers(21, 500, true, Duration.ofMillis(500));

    // Then
    assertThat(estimate.tokensPerSecond("llama", nanos)).hasValue(1_000);
    assertThat(estimate.wait("llama", 30_000, nanos)).contains(Duration.ofSeconds(30));
  }

  @Test
  void anIdlePoolTeachesNothing() {
    // When
    answers(1_000, 100, false, Duration.ofSeconds(1));

    // Then
    assertThat(estimate.wait("llama", 1_000_000, nanos)).isEmpty();
  }

  @Test
  void aLullDoesNotCountForTheRate() {
    // Given
    answers(21, 500, true, Duration.ofMillis(500));

    // When
    answers(40, 500, true, Duration.ofSeconds(5));

    // Then
    assertThat(estimate.tokensPerSecond("llama", nanos)).hasValue(100);
    answers(21, 500, true, Duration.ofMillis(500));
    assertThat(estimate.tokensPerSecond("llama", nanos).getAsDouble()).isGreaterThan(500);
  }

  @Test
  void anOldRateIsForgotten() {
    // Given
    answers(21, 500, true, Duration.ofMillis(500));

    // When
    nanos += Duration.ofMinutes(6).toNanos();

    // Then
    assertThat(estimate.wait("llama", 1_000_000, nanos)).isEmpty();
  }

  @Test
  void aModelSaysNothingOfAnother() {
    // When
    answers(21, 500, true, Duration.ofMillis(500));

    // Then
    assertThat(estimate.wait("qwen", 1_000_000, nanos)).isEmpty();
  }

  private void answers(int number, long tokens, boolean othersWait, Duration apart) {
    for (int i = 0; i < number; i++) {
      nanos += apart.toNanos();
      estimate.answered("llama", tokens, othersWait, nanos);
    }
  }
}
