package io.sluice.bench.failover;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClientAnswerTest {
  @Test
  void theLongestGapIsOneThatEndedAfterTheFailure() {
    // Given
    ClientAnswer answer = answerAt(100, 600, 700, 1_000, 1_050);

    // Then
    assertThat(answer.longestGapMillis(millis(0))).hasValue(500);
    assertThat(answer.longestGapMillis(millis(650))).hasValue(300);
  }

  @Test
  void aGapThatHadBegunBeforeTheFailureCountsAsAWhole() {
    assertThat(answerAt(100, 600).longestGapMillis(millis(599))).hasValue(500);
  }

  @Test
  void aStreamWithoutATokenAfterTheFailureHasNoGap() {
    assertThat(answerAt(100, 600).longestGapMillis(millis(600))).isEmpty();
    assertThat(answerAt(100).longestGapMillis(millis(0))).isEmpty();
  }

  @Test
  void timesCanBeOnBothSidesOfZero() {
    assertThat(answerAt(-300, -200, 100).longestGapMillis(millis(-250))).hasValue(300);
  }

  @Test
  void theFirstTokenCountsFromTheFirstRequest() {
    assertThat(answerAt(120, 600).firstMillis()).hasValue(110);
    assertThat(answerAt().firstMillis()).isEmpty();
  }

  /** Returns an answer to a request that was sent at 10 ms. */
  private static ClientAnswer answerAt(long... arrivalMillis) {
    List<Long> arrivals =
        Arrays.stream(arrivalMillis).map(ClientAnswerTest::millis).boxed().toList();
    return new ClientAnswer(
        new ObjectMapper().createObjectNode(), millis(10), arrivals, "", Optional.empty(), 0);
  }

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }
}
