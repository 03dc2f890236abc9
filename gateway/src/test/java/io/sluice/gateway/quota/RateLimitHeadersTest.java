package io.sluice.gateway.quota;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateLimitHeadersTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0ms",
    "120, 120ms",
    "999, 999ms",
    "1000, 1s",
    "59999, 59s",
    "60000, 1m0s",
    "61000, 1m1s",
    "360000, 6m0s"
  })
  void aResetIsWrittenAsOpenAiDoes(long millis, String text) {
    assertThat(RateLimitHeaders.text(millis)).isEqualTo(text);
  }
}
