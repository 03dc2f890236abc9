package io.sluice.standalone.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.GpuProfile;
import io.sluice.simulator.http.ServerOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The check of a pool over a simulated engine; docs/engines.md tells of real ones. */
class VerifyPoolIT {
  @Test
  void interruptedAnswersOfTheSimulatorAreTheUninterruptedOnes() throws Exception {
    // Given
    SimulatorConfig config =
        SimulatorConfig.of(GpuProfile.H100)
            .withServer(ServerOptions.with(options -> options.autoToolChoice = true));
    var out = new StringWriter();
    try (SimulatedEngine engine = SimulatedEngine.start(config)) {

      // When
      int code =
          new CommandLine(new VerifyPoolCommand())
              .setOut(new PrintWriter(out))
              .execute("--url", engine.uri().toString());

      // Then
      assertThat(code).as("%s", out).isZero();
    }
    assertThat(out.toString().lines().filter(line -> line.contains(" attempts")).count())
        .as("%s", out)
        .isGreaterThan(50);
    assertThat(out.toString())
        .contains("had a cancelled stream for another", "had a stream past its deadline for");
  }
}
