package io.sluice.common.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LanesTest {

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "2k, 2048",
    "8k, 8192",
    "8192, 8192",
    " 128k , 131072",
    "9999999, 9999999",
    "2097151k, 2147482624"
  })
  void aLaneIsReadFromItsSize(String text, int tokens) {
    assertThat(Lane.parse(text)).isEqualTo(new Lane(text.strip(), tokens));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "k",
        "0",
        "0k",
        "08k",
        "-8k",
        "8K",
        "8m",
        "8 k",
        "8k8",
        "1.5k",
        "99999999",
        "2097152k",
        "9999999k",
        "\u0668k"
      })
  void anInvalidSizeIsRefusedWithASentence(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Lane.parse(text))
        .withMessageContaining("lane '" + text + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "8K", "a.b", "12345678901234567"})
  void aLaneThatCannotNameATopicIsRefused(String name) {
    assertThatIllegalArgumentException().isThrownBy(() -> new Lane(name, 1));
  }

  @Test
  void aLaneHoldsAtLeastOneToken() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Lane("0", 0));
  }

  @Test
  void lanesAreSortedByLength() {
    assertThat(Lanes.parse("32k, 2k,8192").names()).containsExactly("2k", "8192", "32k");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ",", "8k,", ",8k", "8k,,32k", "8k,8k", "8k,8192", "8k;32k"})
  void anInvalidListOrADuplicateLaneIsRefused(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> Lanes.parse(text));
  }

  @Test
  void aPoolWithoutLanesIsRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Lanes(List.of()));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 2k",
    "1, 2k",
    "2048, 2k",
    "2049, 8k",
    "8192, 8k",
    "32769, 128k",
    "131072, 128k",
    "131073, 128k",
    "9223372036854775807, 128k"
  })
  void aContextBelongsToTheShortestLaneThatHoldsIt(long tokens, String lane) {
    assertThat(Lanes.standard().holding(tokens).name()).isEqualTo(lane);
  }
}
