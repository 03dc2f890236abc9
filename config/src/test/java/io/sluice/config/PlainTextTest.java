package io.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PlainTextTest {
  private static final String TEXT = "a\tb\r\n\u001b[31mé\u009b\u007fc";

  @Test
  void aLineHasNoControlCharacters() {
    assertThat(PlainText.line(TEXT)).isEqualTo("a b [31mé c");
  }

  @Test
  void linesKeepTheirEndsAndTabs() {
    assertThat(PlainText.lines(TEXT)).isEqualTo("a\tb \n [31mé c");
  }
}
