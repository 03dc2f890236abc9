package io.sluice.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulator.SimulatedEngine;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

@Tag("slow")
class VerifyEngineCommandTest {

  private static final String SOME_RULES = "/health";

  private final StringWriter out = new StringWriter();

  @Test
  void aConformingEngineEndsWithExitCode0AndASummary() throws Exception {
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
  void anEngineOfAnotherKindEndsWithExitCode1() throws Exception {
    // Given
    try (SimulatedEngine engine = Simulators.start("some-model", 2048, "0.30.0");
        SimulatedEngine other = Simulators.start("some-model", 2048)) {

      // When
      int code =
          run(
              "--url",
              engine.uri() + "/v1",
              "--against",
              other.uri().toString(),
              "--rules",
              SOME_RULES,
              "--requests",
              "chat: plain");

      // Then
      assertThat(code).isEqualTo(1);
      assertThat(out.toString()).contains("NEW  chat: plain");
    }
  }

  @Test
  void anOlderVllmIsComparedWithASimulatorOfItsVersion() throws Exception {
    // Given
    try (SimulatedEngine engine = Simulators.start("some-model", 2048, "0.30.0")) {

      // When
      int code =
          run("--url", engine.uri().toString(), "--rules", SOME_RULES, "--requests", "chat: plain");

      // Then
      assertThat(out.toString()).contains("0 new");
      assertThat(code).isZero();
    }
  }

  @Test
  void rulesOnlySkipsTheComparison() throws Exception {
    // Given
    try (SimulatedEngine engine = Simulators.start("some-model", 2048)) {

      // When
      int code = run("--url", engine.uri().toString(), "--rules-only", "--rules", SOME_RULES);

      // Then
      assertThat(out.toString())
          .containsPattern("\\n[1-9] rules, [1-9] held, 0 broken")
          .doesNotContain("requests");
      assertThat(code).isZero();
    }
  }

  /** Stands for the launcher's command of that name. */
  @Command(name = "verify-pool")
  private static final class PoolChecks implements Callable<Integer> {
    private final List<String> seen = new ArrayList<>();
    private final int exitCode;

    @Option(names = {"--url", "--model", "--engine-api-key"})
    private List<String> values = new ArrayList<>();

    PoolChecks(int exitCode) {
      this.exitCode = exitCode;
    }

    @Override
    public Integer call() {
      seen.addAll(values);
      return exitCode;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aPoolIsCheckedWithTheSameEngineModelAndKey(int exitCode) throws Exception {
    // Given
    PoolChecks checks = new PoolChecks(exitCode);
    var launcher =
        new CommandLine(CommandSpec.create())
            .addSubcommand(new VerifyEngineCommand())
            .addSubcommand(checks)
            .setOut(new PrintWriter(out, true));
    try (SimulatedEngine engine = Simulators.start("some-model", 2048)) {
      String url = engine.uri().toString();

      // When
      int code =
          launcher.execute(
              "verify-engine",
              "--url",
              url,
              "--model",
              "some-model",
              "--api-key",
              "key",
              "--rules-only",
              "--rules",
              SOME_RULES,
              "--pool");

      // Then
      assertThat(code).isEqualTo(exitCode);
      assertThat(checks.seen).containsExactly(url, "some-model", "key");
    }
  }

  @Test
  void aTextThatIsInNoRuleIsRefused() {
    assertThat(run("--url", "http://127.0.0.1:1", "--rules", "of the moon")).isEqualTo(2);
  }

  @Test
  void withoutTheLauncherThereIsNoPoolToCheck() {
    assertThat(run("--url", "http://127.0.0.1:1", "--pool")).isEqualTo(2);
  }

  private int run(String... arguments) {
    return new CommandLine(new VerifyEngineCommand())
        .setOut(new PrintWriter(out, true))
        .execute(arguments);
  }
}
