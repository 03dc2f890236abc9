package io.sluice.router.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class WaitEstimateTest {
  private static final RequestKind KIND =
      new RequestKind("llama", "2k", List.of("fast"), List.of());

  private final WaitEstimate estimate = new WaitEstimate();
  private long nanos = -7_000_000_000L;

  @Test
  void nothingIsKnownBeforeAWholeWindowUnderLoad() {
    // When
    answers(9, 100, true, Duration.ofSeconds(1));

    // Then
    assertThat(estimate.wait(KIND, 1_000_000, nanos)).isEmpty();
  }

  @Test
  void theRateIsThatOfAnswersWhileOthersWait() {
    // When
    answers(21, 500, true, Duration.ofMillis(500));

    // Then
    assertThat(estimate.tokensPerSecond(KIND, nanos)).hasValue(1_000);
    assertThat(estimate.wait(KIND, 30_000, nanos)).contains(Duration.ofSeconds(30));
  }

  @Test
  void anIdlePoolTeachesNothing() {
    // When
    answers(1_000, 100, false, Duration.ofSeconds(1));

    // Then
    assertThat(estimate.wait(KIND, 1_000_000, nanos)).isEmpty();
  }

  @Test
  void aLullDoesNotCountForTheRate() {
    // Given
    answers(21, 500, true, Duration.ofMillis(500));

    // When
    answers(40, 500, true, Duration.ofSeconds(5));

    // Then
    assertThat(estimate.tokensPerSecond(KIND, nanos)).hasValue(100);
    answers(21, 500, true, Duration.ofMillis(500));
    assertThat(estimate.tokensPerSecond(KIND, nanos).getAsDouble()).isGreaterThan(500);
  }

  @Test
  void anOldRateIsForgotten() {
    // Given
    answers(21, 500, true, Duration.ofMillis(500));

    // When
    nanos += Duration.ofMinutes(6).toNanos();

    // Then
    assertThat(estimate.wait(KIND, 1_000_000, nanos)).isEmpty();
  }

  @Test
  void aKindSaysNothingOfAnother() {
    // When
    answers(21, 500, true, Duration.ofMillis(500));

    // Then
    assertThat(estimate.wait(kind("qwen", "2k", "fast"), 1_000_000, nanos)).isEmpty();
    assertThat(estimate.wait(kind("llama", "8k", "fast"), 1_000_000, nanos)).isEmpty();
    assertThat(estimate.wait(kind("llama", "2k", "precise"), 1_000_000, nanos)).isEmpty();
  }

  @Test
  void manyOtherKindsDoNotDriveOutTheOneThatIsAnsweredAmongThem() {
    // When
    for (int i = 0; i < 5_000; i++) {
      nanos += Duration.ofMillis(10).toNanos();
      estimate.answered(kind("model" + i, "2k", "fast"), 10, true, nanos);
      estimate.answered(KIND, 10, true, nanos);
    }

    // Then
    assertThat(estimate.tokensPerSecond(KIND, nanos).orElseThrow())
        .isCloseTo(1_000, Offset.offset(1.0));
  }

  private static RequestKind kind(String model, String lane, String tier) {
    return new RequestKind(model, lane, List.of(tier), List.of());
  }

  private void answers(int number, long tokens, boolean othersWait, Duration apart) {
    for (int i = 0; i < number; i++) {
      nanos += apart.toNanos();
      estimate.answered(KIND, tokens, othersWait, nanos);
    }
  }
}
