package io.sluice.simulator.command;

import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.ModelSize;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.SchedulingPolicy;
import io.sluice.simulator.engine.Timing;
import io.sluice.simulator.fault.Fault;
import io.sluice.simulator.fit.ProfileFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code simulator} command: runs one simulated engine until it is stopped. */
@Command(
    name = "simulator",
    description = "Run a simulated vLLM server: an OpenAI-compatible engine without a GPU.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    defaultValueProvider = EnvironmentDefaults.class,
    footer =
        "Every option can also be set as SLUICE_SIMULATOR_<OPTION>, such as SLUICE_SIMULATOR_PORT.")
public final class SimulatorCommand implements Callable<Integer> {

  /** The exit code that a shell reports for a process killed by SIGKILL. */
  private static final int KILLED = 137;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--profile",
      defaultValue = "rtx4090",
      completionCandidates = GpuProfileNames.class,
      paramLabel = "NAME|FILE",
      description =
          "The GPU to simulate: ${COMPLETION-CANDIDATES}, or a file that 'simulator fit' wrote (default: rtx4090).")
  private String profile = "rtx4090";

  @Option(
      names = "--model",
      split = ",",
      description =
          "The served model names; answers use the first one (default: "
              + SimulatorConfig.DEFAULT_MODEL
              + ").")
  private List<String> models = new ArrayList<>();

  @Option(names = "--host", description = "The address to listen on (default: 127.0.0.1).")
  private String host = "127.0.0.1";

  @Option(
      names = "--port",
      description = "The port to listen on; 0 for a free one (default: 8000).")
  private int port = 8000;

  @Option(
      names = "--max-model-len",
      description =
          "The largest number of tokens in prompt and output together (default: by profile, 16384 for built-in ones).")
  private @Nullable Integer maxModelLen;

  @Option(
      names = "--max-num-seqs",
      description = "The largest number of running sequences (default: by profile).")
  private @Nullable Integer maxNumSeqs;

  @Option(
      names = "--max-num-batched-tokens",
      description = "The largest number of tokens computed in one step (default: by profile).")
  private @Nullable Integer maxNumBatchedTokens;

  @Option(
      names = "--kv-blocks",
      description = "The number of KV-cache blocks (default: by profile).")
  private @Nullable Integer kvBlocks;

  @Option(
      names = "--block-size",
      description =
          "The number of tokens in a KV-cache block (default: by profile, 16 for built-in ones).")
  private @Nullable Integer blockSize;

  @Option(names = "--seed", description = "The seed of the noise on step times (default: 0).")
  private long seed;

  @Option(names = "--speed", description = "The speed relative to the GPU (default: 1, real time).")
  private double speed = 1.0;

  @Option(
      names = "--model-size",
      defaultValue = "8b",
      description = "The size of the model: 1b, 3b, 7b, 8b, 14b, 32b or 70b (default: 8b).")
  private String modelSize = "8b";

  @Option(
      names = "--tensor-parallel-size",
      description = "The number of GPUs that share the model (default: 1).")
  private int tensorParallel = 1;

  @Option(
      names = "--scheduling-policy",
      description = "The order of sequences: fcfs or priority (default: fcfs).")
  private String policy = "fcfs";

  @Option(
      names = "--no-async-scheduling",
      description =
          "Schedule each step after the previous one has ended, instead of when it starts.")
  private boolean noAsyncScheduling;

  @Option(
      names = "--long-prefill-token-threshold",
      description =
          "The largest number of tokens of one prompt in one step; 0 for no limit (default: 0).")
  private int longPrefillTokenThreshold;

  @Option(
      names = "--max-loras",
      description = "The largest number of LoRA adapters in one step (default: 1).")
  private int maxLoras = 1;

  @Option(
      names = "--no-enable-prefix-caching",
      description = "Disable the prefix cache: compute every prompt completely.")
  private boolean noPrefixCaching;

  @Option(
      names = "--noise",
      description =
          "The width of the lognormal noise on step times; 0 for none (default: by profile, 0.03 for built-in ones).")
  private @Nullable Double noise;

  @Option(
      names = "--stalls-per-thousand",
      description = "The number of steps in 1,000 that take 2 to 5 times as long (default: 0).")
  private double stallsPerThousand;

  @Option(
      names = "--engine-version",
      description = "The vLLM version to report and to simulate (default: 0.32.0).")
  private @Nullable String version;

  @Mixin private ServerFlags server = new ServerFlags();

  @Mixin private EventFlags events = new EventFlags();

  @Option(
      names = "--fault",
      paramLabel = "FAULT[@P]",
      description =
          "A fault to inject, optionally with a probability; repeatable. Faults: "
              + Fault.NAMES
              + ".")
  private List<String> faults = new ArrayList<>();

  @Option(
      names = "--admin-port",
      description =
          "The port of the fault controls and GPU metrics; 0 for a free one (default: none).")
  private @Nullable Integer adminPort;

  @Option(
      names = "--boot-after-death",
      paramLabel = "SECONDS",
      description =
          "Restart after the death of the engine; the restart takes this long (default: the process ends).")
  private @Nullable Double bootAfterDeathSeconds;

  /** Creates the command for picocli. */
  public SimulatorCommand() {}

  /** Runs the command and its subcommand {@code fit} without the other commands. */
  public static void main(String[] args) {
    System.exit(
        new CommandLine(new SimulatorCommand())
            .addSubcommand("fit", new FitCommand())
            .execute(args));
  }

  @Override
  public Integer call() throws InterruptedException {
    SimulatedEngine engine;
    try {
      engine = SimulatedEngine.start(config());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(commandLine(), String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      commandLine().getErr().println(e.getMessage());
      return CommandLine.ExitCode.SOFTWARE;
    }
    Runtime.getRuntime()
        .addShutdownHook(Thread.ofPlatform().unstarted(() -> engine.terminate().join()));
    commandLine()
        .getOut()
        .println("Simulated " + profile + " ready at " + engine.uri() + " (Ctrl-C stops it)");
    engine
        .adminPort()
        .ifPresent(
            admin ->
                commandLine().getOut().println("Fault controls at http://" + host + ":" + admin));
    commandLine().getOut().flush();
    return switch (end(engine)) {
      case STOPPED -> CommandLine.ExitCode.OK;
      case ENGINE_DEATH -> CommandLine.ExitCode.SOFTWARE;
      case OUT_OF_MEMORY -> KILLED;
    };
  }

  private static SimulatedEngine.End end(SimulatedEngine engine) throws InterruptedException {
    try {
      return engine.ended().get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("The end of an engine is never an exception.", e);
    }
  }

  SimulatorConfig config() {
    SimulatorConfig config = SimulatorConfig.of(ProfileFile.named(profile));
    config =
        config
            .withHost(host)
            .withPort(port)
            .withTiming(timing(config.timing()))
            .withScheduling(scheduling(config.scheduling()))
            .withPrefixCaching(!noPrefixCaching)
            .withServer(server.options(System.getenv()))
            .withFaults(faults.stream().map(Fault::parse).toList());
    if (!models.isEmpty()) {
      config = config.withModels(models);
    }
    if (maxModelLen != null) {
      config = config.withMaxModelLen(maxModelLen);
    }
    if (blockSize != null) {
      config = config.withBlockTokens(blockSize);
    }
    if (kvBlocks != null) {
      config = config.withKvBlocks(kvBlocks);
    }
    if (version != null) {
      config = config.withVersion(version);
    }
    if (adminPort != null) {
      config = config.withAdminPort(adminPort);
    }
    if (bootAfterDeathSeconds != null) {
      config = config.withBootAfterDeath(ServerFlags.seconds(bootAfterDeathSeconds));
    }
    return events.config().map(config::withKvEvents).orElse(config);
  }

  private Timing timing(Timing defaults) {
    return defaults
        .withModel(ModelSize.named(modelSize))
        .withTensorParallel(tensorParallel)
        .withNoise(seed, noise == null ? defaults.noiseSigma() : noise, stallsPerThousand)
        .withSpeed(speed);
  }

  private Scheduling scheduling(Scheduling defaults) {
    return new Scheduling(
        maxNumSeqs == null ? defaults.maxNumSeqs() : maxNumSeqs,
        maxNumBatchedTokens == null ? defaults.maxNumBatchedTokens() : maxNumBatchedTokens,
        longPrefillTokenThreshold,
        policy(),
        maxLoras,
        !noAsyncScheduling);
  }

  private SchedulingPolicy policy() {
    return switch (policy) {
      case "fcfs" -> SchedulingPolicy.FCFS;
      case "priority" -> SchedulingPolicy.PRIORITY;
      default ->
          throw new IllegalArgumentException(
              "scheduling-policy must be fcfs or priority, got '" + policy + "'.");
    };
  }

  private CommandLine commandLine() {
    if (spec == null) {
      throw new IllegalStateException("The simulator command runs through picocli only.");
    }
    return spec.commandLine();
  }
}
