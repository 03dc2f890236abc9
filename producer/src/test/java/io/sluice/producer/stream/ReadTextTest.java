package io.sluice.producer.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadTextTest {
  @Test
  void aTextThatBeginsWithWhatWasReadHasARest() {
    // Given
    var read = new ReadText();
    assertThat(read.restOf("all of it")).isEqualTo("all of it");

    // When
    read.append("all ");
    read.append("of");

    // Then
    assertThat(read.isBeginningOf("all of it")).isTrue();
    assertThat(read.restOf("all of it")).isEqualTo(" it");
    assertThat(read.restOf("all of")).isEmpty();
    assertThat(read.isBeginningOf("all of")).isTrue();
    assertThat(read.isBeginningOf("all if it")).isFalse();
    assertThat(read.isBeginningOf("all")).isFalse();
    assertThat(read.restOf("another")).isEmpty();
  }
}
