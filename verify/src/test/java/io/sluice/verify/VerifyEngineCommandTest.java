package io.sluice.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulator.SimulatedEngine;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

@Tag("slow")
class VerifyEngineCommandTest {

  private final StringWriter out = new StringWriter();

  @Test
  void an_engine_that_is_as_expected_ends_with_0_and_a_summary() throws Exception {
    // Given
    try (SimulatedEngine engine = Simulators.start("some-model", 2048)) {

      // When
      int code = run("--url", engine.uri().toString(), "--model", "some-model");

      // Then
      assertThat(out.toString())
          .contains(": model some-model, version 0.32.0")
          .contains("0 broken, 0 skipped")
          .contains("0 new");
      assertThat(code).isZero();
    }
  }

  @Test
  void an_engine_of_another_kind_ends_with_1() throws Exception {
    // Given
    try (SimulatedEngine engine = Simulators.start("some-model", 2048, "0.30.0");
        SimulatedEngine other = Simulators.start("some-model", 2048)) {

      // When
      int code = run("--url", engine.uri() + "/v1", "--against", other.uri().toString());

      // Then
      assertThat(code).isEqualTo(1);
      assertThat(out.toString()).contains("NEW  chat: plain");
    }
  }

  @Test
  void rules_only_leaves_the_comparison_out() throws Exception {
    // Given
    try (SimulatedEngine engine = Simulators.start("some-model", 2048)) {

      // When
      int code = run("--url", engine.uri().toString(), "--rules-only");

      // Then
      assertThat(out.toString()).contains("0 broken").doesNotContain("requests");
      assertThat(code).isZero();
    }
  }

  private int run(String... arguments) {
    return new CommandLine(new VerifyEngineCommand())
        .setOut(new PrintWriter(out, true))
        .execute(arguments);
  }
}
