package io.sluice.simulator.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.StepCost;
import io.sluice.simulator.engine.timing.StepWork;
import io.sluice.simulator.fit.EngineFacts;
import io.sluice.simulator.fit.MeasuredEngine;
import io.sluice.simulator.fit.ProfileFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("slow")
class FitCommandTest {

  private static final GpuProfile KNOWN =
      new GpuProfile(
          "known",
          new StepCost(2, 0.01, 1e-5, 0.1, 1e-4, 0),
          1,
          1,
          200,
          32,
          512,
          16,
          1024,
          0,
          true);

  @TempDir private Path directory;

  private final StringWriter output = new StringWriter();
  private final StringWriter errors = new StringWriter();

  @Test
  void aFittedProfileIsWrittenComparedAndUsableByTheSimulator() throws Exception {
    Path file = directory.resolve("fitted.json");
    try (SimulatedEngine engine = SimulatedEngine.start(SimulatorConfig.of(KNOWN))) {
      assertThat(
              run(
                  "--engine=" + engine.uri(),
                  "-o=" + file,
                  "--rounds=1",
                  "--max-batch=4",
                  "--max-num-seqs=16",
                  "--max-num-batched-tokens=512",
                  "--requests=5"))
          .as(errors.toString())
          .isZero();
    }

    GpuProfile fitted = ProfileFile.read(file);
    assertThat(fitted.kvBlocks()).isEqualTo(200);
    assertThat(fitted.blockTokens()).isEqualTo(32);
    assertThat(fitted.maxModelLen()).isEqualTo(1024);
    assertThat(fitted.maxNumSeqs()).isEqualTo(16);
    assertThat(fitted.maxNumBatchedTokens()).isEqualTo(512);
    assertThat(fitted.cost().stepMillis(StepWork.decode(1, 0))).isPositive();
    assertThat(output.toString()).contains("TTFT, median, ms").contains("preemptions");
    try (SimulatedEngine again = SimulatedEngine.start(parsed("--profile=" + file, "--port=0"));
        MeasuredEngine asked = MeasuredEngine.at(again.uri(), Optional.empty(), Optional.empty())) {
      assertThat(EngineFacts.of(asked, 16, 512))
          .isEqualTo(new EngineFacts(200, 32, true, 1024, 16, 512));
    }
  }

  @Test
  void anExistingProfileIsOnlyCompared() throws IOException {
    Path file = directory.resolve("fitted.json");
    ProfileFile.write(file, KNOWN, Map.of());
    try (SimulatedEngine engine = SimulatedEngine.start(SimulatorConfig.of(KNOWN))) {
      assertThat(run("--engine=" + engine.uri(), "--against=" + file, "--requests=2", "--rate=20"))
          .as(errors.toString())
          .isZero();
    }

    assertThat(output.toString()).contains("2 requests, 20.00 per second").doesNotContain("round");
  }

  @Test
  void theBlockSizeCanBeChosenAndTheMemoryStaysTheSame() throws Exception {
    SimulatorConfig config = parsed("--profile=rtx4090", "--block-size=32");

    assertThat(config.blockTokens()).isEqualTo(32);
    assertThat(config.kvBlocks()).isEqualTo(OptionalInt.empty());
    assertThat(config.engine().kvBlocks()).isEqualTo(1497);
    assertThat(parsed("--block-size=32", "--kv-blocks=600").engine().kvBlocks()).isEqualTo(600);
    assertThatThrownBy(() -> parsed("--block-size=0"))
        .hasMessageContaining(
            "--block-size is '0', but must be a whole number of at least 1 (tokens)");
  }

  @Test
  void theErrorForWrongUsageSaysWhatToGive() throws IOException {
    assertThat(run("--engine=http://127.0.0.1:1")).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(errors.toString()).contains("-o FILE").contains("--against FILE");
    Path nowhere = directory.resolve("no").resolve("file.json");
    assertThat(run("--engine=http://127.0.0.1:1", "-o=" + nowhere))
        .isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(errors.toString()).contains("does not exist");
    assertThat(Files.list(directory)).isEmpty();
  }

  @Test
  void theErrorNamesAnEngineThatIsUnreachable() {
    assertThatThrownBy(
            () ->
                MeasuredEngine.at(
                    URI.create("http://127.0.0.1:1/v1"), Optional.empty(), Optional.empty()))
        .hasMessageContaining("http://127.0.0.1:1/v1/models does not answer")
        .hasMessageContaining("Check that the engine is running.");
  }

  @Test
  void theErrorNamesAModelThatIsNotServed() throws IOException {
    try (SimulatedEngine engine = SimulatedEngine.start(SimulatorConfig.of(KNOWN))) {
      assertThatThrownBy(
              () -> MeasuredEngine.at(engine.uri(), Optional.of("other"), Optional.empty()))
          .hasMessageContaining("does not serve the model other");
    }
  }

  private int run(String... arguments) {
    return new CommandLine(new FitCommand())
        .setOut(new PrintWriter(output))
        .setErr(new PrintWriter(errors))
        .execute(arguments);
  }

  private static SimulatorConfig parsed(String... arguments) throws Exception {
    return CommandLines.config(Map.of(), arguments);
  }
}
