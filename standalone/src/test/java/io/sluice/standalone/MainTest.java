package io.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.Test;

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
            "demo", "up", "chat", "router", "worker", "simulator", "verify-pool", "verify-engine")
        .doesNotContain("warm-up");
  }

  @Test
  void ourClockIsTheClockOfKafkasCode() {
    assertThat(Time.SYSTEM.getClass().getProtectionDomain().getCodeSource())
        .isEqualTo(io.sluice.services.Main.class.getProtectionDomain().getCodeSource());
  }
}
