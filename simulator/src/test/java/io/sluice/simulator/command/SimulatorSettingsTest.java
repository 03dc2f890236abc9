package io.sluice.simulator.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.config.InvalidSettingsException;
import io.sluice.config.SettingSources;
import io.sluice.config.SettingSpec;
import io.sluice.config.SettingsCommand;
import io.sluice.simulator.ServerOptions;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.ModelSize;
import io.sluice.simulator.fault.Fault;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class SimulatorSettingsTest {

  @Test
  void everyOptionIsListedWithItsVariable() {
    assertThat(SimulatorSettings.SCHEMA.settings())
        .extracting(SettingSpec::key)
        .containsExactlyInAnyOrder(
            "profile",
            "model",
            "host",
            "port",
            "max-model-len",
            "max-num-seqs",
            "max-num-batched-tokens",
            "kv-blocks",
            "block-size",
            "seed",
            "speed",
            "model-size",
            "tensor-parallel-size",
            "scheduling-policy",
            "no-async-scheduling",
            "long-prefill-token-threshold",
            "max-loras",
            "no-enable-prefix-caching",
            "noise",
            "stalls-per-thousand",
            "engine-version",
            "api-key",
            "enable-request-id-headers",
            "max-num-queued-reqs",
            "max-num-queued-tokens",
            "sse-keep-alive-interval",
            "enable-prompt-tokens-details",
            "enable-force-include-usage",
            "enable-server-load-tracking",
            "enable-auto-tool-choice",
            "max-logprobs",
            "default-max-tokens",
            "dev-mode",
            "lora-modules",
            "allow-runtime-lora-updating",
            "shutdown-timeout",
            "keep-alive-on-engine-death",
            "fault",
            "admin-port",
            "boot-after-death");
    assertThat(SimulatorSettings.SCHEMA.settings())
        .extracting(SettingSpec::environment)
        .contains("SLUICE_SIMULATOR_MAX_MODEL_LEN", "SLUICE_SIMULATOR_NO_ENABLE_PREFIX_CACHING");
  }

  @Test
  void everyOptionIsPrintedAndSecretsAreNot() {
    StringWriter out = new StringWriter();
    CommandLine command =
        new CommandLine(
                SettingsCommand.printing(
                    SimulatorSettings.SCHEMA, Map.of("SLUICE_SIMULATOR_API_KEY", "hidden")))
            .setOut(new PrintWriter(out));

    assertThat(command.execute("--fault=no-done", "--fault=leak=3", "--dev-mode")).isZero();
    assertThat(out.toString().lines().map(line -> line.replaceAll(" +", " ").strip()))
        .hasSize(SimulatorSettings.SCHEMA.settings().size() + 1)
        .contains(
            "profile rtx4090 default",
            "max-num-seqs (by profile) default",
            "api-key ******** SLUICE_SIMULATOR_API_KEY",
            "fault no-done,leak=3 --fault",
            "dev-mode true --dev-mode",
            "keep-alive-on-engine-death (off) default");
  }

  @Test
  void allWrongValuesAreReportedAtOnce() {
    SettingSources sources =
        new SettingSources(
            Map.of(
                "profile", "tpu",
                "port", "x",
                "engine-version", "new",
                "model-size", "9b",
                "fault", "no-done,sulk",
                "max-num-queued-tokens", "much",
                "lora-modules", "x"),
            Map.of(
                "SLUICE_SIMULATOR_MAX_MODEL_LEN", "0",
                "SLUICE_SIMULATOR_SCHEDULING_POLICY", "lifo",
                "SLUICE_SIMULATOR_DEV_MODE", "perhaps"),
            Map.of("noise", "-1", "colour", "red"));

    InvalidSettingsException thrown =
        catchThrowableOfType(
            InvalidSettingsException.class, () -> SimulatorSettings.SCHEMA.read(sources));

    assertThat(thrown.problems())
        .containsExactlyInAnyOrder(
            "a simulator has no setting 'colour'",
            "--profile is 'tpu', but is not valid: Unknown GPU profile 'tpu'; use one of %s, or a file that 'simulator fit' wrote."
                .formatted(String.join(", ", GpuProfile.names())),
            "--port is 'x', but must be a whole number from 0 to 65535 (port)",
            "--engine-version is 'new', but is not valid: 'new' is not a vLLM version. Use a version such as 0.32.0.",
            "SLUICE_SIMULATOR_MAX_MODEL_LEN is '0', but must be a whole number of at least 1 (tokens)",
            "--model-size is '9b', but must be one of %s"
                .formatted(String.join(", ", ModelSize.names())),
            "'noise' in the file is '-1', but must be a number of at least 0",
            "SLUICE_SIMULATOR_SCHEDULING_POLICY is 'lifo', but must be one of fcfs, priority",
            "--max-num-queued-tokens is 'much', but is not valid: use a number such as 32000 or 32k",
            "SLUICE_SIMULATOR_DEV_MODE is 'perhaps', but must be true or false",
            "--lora-modules is 'x', but 'x' is not valid: use name=path",
            "--fault is 'no-done,sulk', but 'sulk' is not valid: Unknown fault 'sulk'. Use one of: "
                + Fault.NAMES
                + ". Add @P for a probability.");
  }

  @Test
  void aSpeedOfZeroIsWrong() {
    InvalidSettingsException thrown =
        catchThrowableOfType(
            InvalidSettingsException.class,
            () -> SimulatorSettings.SCHEMA.read(SettingSources.of(Map.of("speed", "0"))));

    assertThat(thrown.problems()).containsExactly("--speed is '0', but must be greater than 0");
  }

  @Test
  void settingsThatContradictEachOtherAreWrongUsage() {
    StringWriter errors = new StringWriter();
    CommandLine command = new CommandLine(SimulatorCommand.spec()).setErr(new PrintWriter(errors));

    assertThat(command.execute("--profile=l4", "--model-size=70b"))
        .isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(errors.toString()).contains("use a smaller model or a larger tensor-parallel-size");
  }

  @Test
  void aFlagWinsOverTheEnvironmentAndTheEnvironmentOverTheFile(@TempDir Path folder)
      throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("settings"), "port = 1\nhost = file\nmodel = a,b\nfault = leak=3\n");

    SimulatorConfig config =
        CommandLines.config(
            Map.of("SLUICE_SIMULATOR_PORT", "2", "SLUICE_SIMULATOR_HOST", "variable"),
            "--port=3",
            "--config=" + file);

    assertThat(config.port()).isEqualTo(3);
    assertThat(config.host()).isEqualTo("variable");
    assertThat(config.models()).containsExactly("a", "b");
    assertThat(config.faults()).containsExactly(Fault.parse("leak=3"));
  }

  @Test
  void optionsWithoutAValueAndRepeatedOnesWorkInTheEnvironmentToo() throws Exception {
    SimulatorConfig config =
        CommandLines.config(
            Map.of(
                "SLUICE_SIMULATOR_NO_ENABLE_PREFIX_CACHING", "TRUE",
                "SLUICE_SIMULATOR_FAULT", "no-done@0.5,leak=3",
                "SLUICE_SIMULATOR_LORA_MODULES", "x=/x"),
            "--lora-modules=y=/y",
            "--lora-modules",
            "z=/z=1");

    assertThat(config.prefixCaching()).isFalse();
    assertThat(config.faults())
        .isEqualTo(List.of(Fault.parse("no-done@0.5"), Fault.parse("leak=3")));
    assertThat(config.server().loras()).isEqualTo(Map.of("y", "/y", "z", "/z=1"));
  }

  @Test
  void theVariablesOfVllmCountToo() throws Exception {
    ServerOptions server =
        CommandLines.config(
                Map.of(
                    "VLLM_API_KEY", "b",
                    "VLLM_SERVER_DEV_MODE", "1",
                    "VLLM_ALLOW_RUNTIME_LORA_UPDATING", "true",
                    "VLLM_KEEP_ALIVE_ON_ENGINE_DEATH", "0"),
                "--api-key=a")
            .server();

    assertThat(server.api().apiKeys()).isEqualTo(Set.of("a", "b"));
    assertThat(server.api().devMode()).isTrue();
    assertThat(server.api().runtimeLora()).isTrue();
    assertThat(server.shutdown().keepAliveOnEngineDeath()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"32000", "32k"})
  void tokensMayHaveAUnit(String text) {
    assertThat(ServerSettings.TokenCount.parse(text).tokens()).isEqualTo(32_000);
  }

  @Test
  void theMeaningOfAnOptionNamesAllItsValues() {
    assertThat(meaning("profile")).contains(GpuProfile.names());
    assertThat(meaning("model-size")).contains(ModelSize.names());
  }

  private static String meaning(String key) {
    return SimulatorSettings.SCHEMA.settings().stream()
        .filter(setting -> setting.key().equals(key))
        .findFirst()
        .orElseThrow()
        .declaration()
        .meaning();
  }
}
