package io.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TextTableTest {

  @Test
  void columnsAreAsWideAsTheirWidestCellAndLinesStandBetweenRows() {
    // Given
    TextTable table = new TextTable().left("worker").right("tok/s").left("state");

    // When
    table.row("gpu-1", 12, "").line("a line of any length").row("gpu-number-2", 123456, "ok");

    // Then
    assertThat(table.toString().lines())
        .containsExactly(
            "worker         tok/s  state",
            "gpu-1             12",
            "a line of any length",
            "gpu-number-2  123456  ok");
  }

  @Test
  void withoutHeadingsThereIsNoLineForThem() {
    assertThat(new TextTable().left("", "").row("tokens", "12 in").row("", "3 out"))
        .hasToString("tokens  12 in%n        3 out%n".formatted());
  }

  @Test
  void textFromOutsideBreaksNeitherATableNorATerminal() {
    // Given
    TextTable table = new TextTable().left("na\u001b[2Jme", "model");

    // When
    table.row("a\r\nb", "\u009b31mred\u0007").line("\u001b]0;title\u0007done");

    // Then
    assertThat(table.toString().lines())
        .containsExactly("na [2Jme  model", "a b        31mred", " ]0;title done");
  }

  @Test
  void aRowHasACellForEachColumn() {
    TextTable table = new TextTable().left("worker").right("tok/s");

    assertThatThrownBy(() -> table.row("gpu-1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("1 cells for 2 columns");
  }
}
