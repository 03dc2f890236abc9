package io.sluice.simulator.structured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MatchingTextTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "yes|no",
        "^\\d{3}-\\d{4}$",
        "[\\w.+-]+@[\\w-]+\\.(com|org)",
        "(?:red|green|blue)(, (?:red|green|blue)){2}",
        "(19|20)\\d\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])",
        "\\{\"name\": \"[A-Za-z ]{1,20}\", \"age\": [1-9][0-9]?\\}",
        "((25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}(25[0-5]|2[0-4]\\d|1?\\d?\\d)",
        "(?<word>\\p{Lu}+) (?:in|at) (?<number>\\d)",
        "[äöü€]+",
        "\\s*[-+]?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?",
        ".*"
      })
  void aTextMatchesItsExpressionAndIsAlwaysTheSame(String regex) {
    assertThat(MatchingText.of(regex)).isEqualTo(MatchingText.of(regex));
    assertThat(MatchingText.of(regex).orElseThrow()).matches(regex);
  }

  @Test
  void aGroupCanBeNamedAsInPython() {
    assertThat(MatchingText.of("(?P<size>S|M|L)").orElseThrow()).matches("S|M|L");
  }

  @Test
  void anInvalidExpressionIsRejectedWithTheReason() {
    assertThatThrownBy(() -> MatchingText.of("[a-"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("position")
        .hasMessageContaining("[a-");
  }

  @Test
  void anExpressionThatNothingMatchesHasNoText() {
    assertThat(MatchingText.of("a(?!b)b")).isEmpty();
  }
}
