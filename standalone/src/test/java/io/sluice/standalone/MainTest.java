package io.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MainTest {

  @Test
  void theCommandsOfProductionComeBetweenTheLocalPoolsAndTheEngines() {
    // Given
    var output = new StringWriter();

    // When
    int exitCode =
        Main.commands().commandLine(false).setOut(new PrintWriter(output)).execute("--help");

    // Then
    assertThat(exitCode).isZero();
    assertThat(output.toString())
        .containsSubsequence(
            "demo",
            "up",
            "chat",
            "router",
            "worker",
            "simulator",
            "verify-pool",
            "verify-engine",
            "replay")
        .doesNotContain("warm-up");
  }

  @ParameterizedTest
  @CsvSource({
    "config router, threads 2 threads default",
    "config worker --id w, id w --id",
    "config simulator --max-num-seqs 7, max-num-seqs 7 sequences --max-num-seqs",
    "config simulator, max-num-seqs (by profile) default"
  })
  void theSettingsOfEveryServiceArePrinted(String line, String expected) {
    var output = new StringWriter();

    int exitCode =
        Main.commands().commandLine(false).setOut(new PrintWriter(output)).execute(line.split(" "));

    assertThat(exitCode).isZero();
    assertThat(output.toString().lines().map(row -> row.replaceAll(" +", " ").strip()))
        .contains(expected);
  }

  @Test
  void theSimulatorStillHasItsSubcommand() {
    assertThat(Main.commands().commandLine(false).getSubcommands().get("simulator"))
        .satisfies(simulator -> assertThat(simulator.getSubcommands()).containsOnlyKeys("fit"));
  }

  @Test
  void ourClockIsTheClockOfKafkasCode() {
    assertThat(Time.SYSTEM.getClass().getProtectionDomain().getCodeSource())
        .isEqualTo(io.sluice.services.Main.class.getProtectionDomain().getCodeSource());
  }
}
