package io.sluice.simulator.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulator.ServerOptions;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.SchedulingPolicy;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.ModelSize;
import io.sluice.simulator.engine.timing.Timing;
import io.sluice.simulator.fault.Fault;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

class SimulatorCommandTest {

  @Test
  void theDefaultIsAn4090OnPort8000() throws Exception {
    SimulatorConfig config = CommandLines.config(Map.of());

    assertThat(config).isEqualTo(SimulatorConfig.of(GpuProfile.RTX4090).withPort(8000));
  }

  @Test
  void everyOptionReachesTheConfiguration() throws Exception {
    SimulatorConfig config =
        CommandLines.config(
            Map.of(),
            "--profile=l4 --model=a,b --host=0.0.0.0 --port=1 --max-model-len=2 --max-num-seqs=3 --max-num-batched-tokens=4 --kv-blocks=5 --seed=6 --speed=7 --long-prefill-token-threshold=8 --stalls-per-thousand=9"
                .split(" "));

    assertThat(config)
        .isEqualTo(
            SimulatorConfig.of(GpuProfile.L4)
                .withModels(List.of("a", "b"))
                .withHost("0.0.0.0")
                .withPort(1)
                .withMaxModelLen(2)
                .withScheduling(new Scheduling(3, 4, 8, SchedulingPolicy.FCFS, 1, true))
                .withKvBlocks(5)
                .withTiming(Timing.of(GpuProfile.L4).withNoise(6, 0.03, 9).withSpeed(7)));
  }

  @ParameterizedTest
  @EnumSource
  void everyModelSizeIsReadByItsName(ModelSize size) throws Exception {
    assertThat(CommandLines.config(Map.of(), "--model-size=" + size.wireName()).timing().model())
        .isEqualTo(size);
  }

  @Test
  void serverAndFaultFlagsReachTheConfiguration() throws Exception {
    SimulatorConfig config =
        CommandLines.config(
            Map.of(),
            "--model-size=14b --tensor-parallel-size=2 --scheduling-policy=priority --no-async-scheduling --max-loras=3 --no-enable-prefix-caching --noise=0 --engine-version=0.22.0 --api-key=a,b --enable-request-id-headers --max-num-queued-reqs=9 --max-num-queued-tokens=32k --sse-keep-alive-interval=1.5 --enable-prompt-tokens-details --enable-force-include-usage --enable-server-load-tracking --enable-auto-tool-choice --max-logprobs=5 --default-max-tokens=200 --dev-mode --lora-modules=x=/x,y=/y --allow-runtime-lora-updating --shutdown-timeout=30 --keep-alive-on-engine-death --fault=no-done@0.5 --fault=leak=3 --admin-port=4 --boot-after-death=2"
                .split(" "));

    assertThat(config)
        .isEqualTo(
            SimulatorConfig.of(GpuProfile.RTX4090)
                .withPort(8000)
                .withTiming(
                    Timing.of(GpuProfile.RTX4090).withModel(ModelSize.B14).withTensorParallel(2))
                .withScheduling(
                    new Scheduling(
                        GpuProfile.RTX4090.maxNumSeqs(),
                        GpuProfile.RTX4090.maxNumBatchedTokens(),
                        0,
                        SchedulingPolicy.PRIORITY,
                        3,
                        false))
                .withPrefixCaching(false)
                .withVersion("0.22.0")
                .withServer(
                    ServerOptions.with(
                        options -> {
                          options.apiKeys = List.of("a", "b");
                          options.requestIdHeaders = true;
                          options.maxQueuedRequests = OptionalInt.of(9);
                          options.maxQueuedTokens = OptionalLong.of(32_000);
                          options.sseKeepAlive = Optional.of(Duration.ofMillis(1500));
                          options.promptTokensDetails = true;
                          options.forceIncludeUsage = true;
                          options.loadTracking = true;
                          options.autoToolChoice = true;
                          options.maxLogprobs = 5;
                          options.defaultMaxTokens = OptionalInt.of(200);
                          options.devMode = true;
                          options.loras = Map.of("x", "/x", "y", "/y");
                          options.runtimeLora = true;
                          options.shutdownTimeout = Duration.ofSeconds(30);
                          options.keepAliveOnEngineDeath = true;
                        }))
                .withFaults(List.of(Fault.parse("no-done@0.5"), Fault.parse("leak=3")))
                .withAdminPort(4)
                .withBootAfterDeath(Duration.ofSeconds(2)));
  }

  @Test
  void theEnvironmentSetsOptionsThatAreNotGiven() throws Exception {
    SimulatorConfig config =
        CommandLines.config(
            Map.of("SLUICE_SIMULATOR_PORT", "9", "SLUICE_SIMULATOR_MAX_NUM_SEQS", "8"), "--port=7");

    assertThat(config.port()).isEqualTo(7);
    assertThat(config.scheduling().maxNumSeqs()).isEqualTo(8);
  }

  @Test
  void anUnknownProfileIsWrongUsageAndListsTheKnownOnes() {
    StringWriter errors = new StringWriter();
    CommandLine command = new CommandLine(SimulatorCommand.spec()).setErr(new PrintWriter(errors));

    assertThat(command.execute("--profile=tpu")).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(errors.toString()).contains("Unknown GPU profile 'tpu'").contains("rtx4090");
  }
}
