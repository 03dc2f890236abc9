package io.sluice.router.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.router.demand.DemandKey;
import io.sluice.router.schedule.TestRequest;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AnsweredTokensTest {
  private static final DemandKey KEY = new DemandKey("llama", DemandKey.NO_TIER, false);

  private final AtomicLong nanos = new AtomicLong();
  private final AnsweredTokens answered = new AnsweredTokens(nanos::get);
  private final long tokens = new TestRequest("r").metadata().contextTokens();

  @Test
  void theSpeedIsThatOfTheLastMinute() {
    // Given two answers a second
    answer(Duration.ofSeconds(90));
    assertThat(answered.perSecond().get(KEY)).isCloseTo(2.0 * tokens, within(0.1 * tokens));

    // When nothing more is answered
    nanos.addAndGet(Duration.ofSeconds(30).toNanos());

    // Then
    assertThat(answered.perSecond().get(KEY)).isBetween(0.8 * tokens, 1.2 * tokens);

    // When
    nanos.addAndGet(Duration.ofSeconds(31).toNanos());

    // Then
    assertThat(answered.perSecond()).isEmpty();
  }

  @Test
  void afterTheFirstSecondsItIsNotToldAsThatOfAMinute() {
    answer(Duration.ofSeconds(20));

    assertThat(answered.perSecond().get(KEY)).isCloseTo(2.0 * tokens, within(0.1 * tokens));
  }

  private void answer(Duration duration) {
    long end = nanos.get() + duration.toNanos();
    while (nanos.get() < end) {
      answered.answered(new TestRequest("r").metadata());
      nanos.addAndGet(Duration.ofMillis(500).toNanos());
    }
  }
}
