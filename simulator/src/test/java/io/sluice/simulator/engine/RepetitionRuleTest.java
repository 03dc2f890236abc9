package io.sluice.simulator.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RepetitionRuleTest {

  @ParameterizedTest
  @CsvSource({
    "a token three times, 1 2 5 5 5, 1, 0, 3, true",
    "a token twice, 1 2 5 5, 1, 0, 3, false",
    "a token three times but not at the end, 5 5 5 1, 1, 0, 3, false",
    "a pair twice, 9 1 2 1 2, 4, 0, 2, true",
    "a pair next to a pattern of one token, 9 1 2 1 2, 1, 0, 2, false",
    "a token where only pairs count, 7 7 7, 2, 2, 2, false",
    "a pair of equal tokens where only pairs count, 7 7 7 7, 2, 2, 2, true",
    "a pattern whose first half is missing, 2 1 2, 2, 2, 2, false",
    "no longest pattern, 5 5 5 5, 0, 0, 2, false",
    "a count below two, 5 5 5 5, 2, 0, 1, false",
    "a pattern longer than an array, 5 5, 2147483647, 2147483647, 2147483647, false"
  })
  void itIsMetByAPatternThatComesOftenEnoughAtTheEnd(
      String what, String output, int longest, int shortest, int count, boolean isMet) {
    // Given: the array of a sequence is longer than its output
    int[] tokens = Arrays.stream(output.split(" ")).mapToInt(Integer::parseInt).toArray();
    int[] array = Arrays.copyOf(tokens, tokens.length + 3);

    // When, then
    assertThat(new RepetitionRule(longest, shortest, count).isMet(array, tokens.length))
        .as(what)
        .isEqualTo(isMet);
  }
}
