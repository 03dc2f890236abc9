package io.sluice.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulator.engine.GpuProfile;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class SimulatorCommandTest {

  @Test
  void without_options_it_is_a_4090_on_port_8000() {
    SimulatorConfig config = parsed(Map.of());

    assertThat(config).isEqualTo(SimulatorConfig.of(GpuProfile.RTX4090).withPort(8000));
  }

  @Test
  void every_option_reaches_the_configuration() {
    SimulatorConfig config =
        parsed(
            Map.of(),
            "--profile=l4 --model=a,b --host=0.0.0.0 --port=1 --max-model-len=2 --max-num-seqs=3 --max-num-batched-tokens=4 --kv-blocks=5 --seed=6 --speed=7"
                .split(" "));

    assertThat(config)
        .isEqualTo(
            SimulatorConfig.of(GpuProfile.L4)
                .withModels(List.of("a", "b"))
                .withHost("0.0.0.0")
                .withPort(1)
                .withMaxModelLen(2)
                .withMaxNumSeqs(3)
                .withMaxNumBatchedTokens(4)
                .withKvBlocks(5)
                .withSeed(6)
                .withSpeed(7));
  }

  @Test
  void the_environment_stands_in_for_options_that_are_not_given() {
    SimulatorConfig config =
        parsed(
            Map.of("SLUICE_SIMULATOR_PORT", "9", "SLUICE_SIMULATOR_MAX_NUM_SEQS", "8"), "--port=7");

    assertThat(config.port()).isEqualTo(7);
    assertThat(config.maxNumSeqs()).isEqualTo(8);
  }

  @Test
  void a_wrong_profile_is_wrong_usage_and_lists_the_right_ones() {
    StringWriter errors = new StringWriter();
    CommandLine command = new CommandLine(new SimulatorCommand()).setErr(new PrintWriter(errors));

    assertThat(command.execute("--profile=tpu")).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(errors.toString()).contains("Unknown GPU profile 'tpu'").contains("rtx4090");
  }

  private static SimulatorConfig parsed(Map<String, String> environment, String... arguments) {
    SimulatorCommand command = new SimulatorCommand();
    new CommandLine(command)
        .setDefaultValueProvider(new EnvironmentDefaults(environment::get))
        .parseArgs(arguments);
    return command.config();
  }
}
