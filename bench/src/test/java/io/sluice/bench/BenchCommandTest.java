package io.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class BenchCommandTest {
  private final StringWriter errors = new StringWriter();

  @Test
  void aMissingMeasurementIsWrongUsageInOneLine() {
    assertThat(execute()).isEqualTo(2);
    assertThat(errors.toString().lines()).singleElement().asString().contains("--help");
  }

  @Test
  void anUnknownMeasurementIsWrongUsageInOneLine() {
    assertThat(execute("nonsense")).isEqualTo(2);
    assertThat(errors.toString().lines()).singleElement().asString().contains("nonsense");
  }

  private int execute(String... arguments) {
    CommandLine commandLine = Main.commandLine(new BenchCommand(), false);
    commandLine.setErr(new PrintWriter(errors));
    return commandLine.execute(arguments);
  }
}
