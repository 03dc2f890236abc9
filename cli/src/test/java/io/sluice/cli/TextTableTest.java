package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextTableTest {

  @Test
  void rowsStandInColumnsAndLinesBetweenThem() {
    // Given
    TextTable table = new TextTable("%-8s %6s %s");

    // When
    table.row("worker", "tok/s", "state").line("two of them").row("gpu-1", 12, "").row("", 3, "ok");

    // Then
    assertThat(table.toString().lines())
        .containsExactly(
            "worker    tok/s state", "two of them", "gpu-1        12", "              3 ok");
  }

  @Test
  void numbersHaveADecimalPoint() {
    assertThat(new TextTable("%-4s%8.2f").row("p95", 1234.5))
        .hasToString("p95  1234.50%n".formatted());
  }
}
