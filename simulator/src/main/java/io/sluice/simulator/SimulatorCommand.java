package io.sluice.simulator;

import io.sluice.simulator.engine.GpuProfile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code simulator} command: one simulated engine until it is told to stop. */
@Command(
    name = "simulator",
    description = "Run a simulated vLLM server: an OpenAI-compatible engine without a GPU.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    defaultValueProvider = EnvironmentDefaults.class,
    footer =
        "Every option can also be set as SLUICE_SIMULATOR_<OPTION>, e.g. SLUICE_SIMULATOR_PORT.")
public final class SimulatorCommand implements Callable<Integer> {

  /** Completion candidates and the list in the help text. */
  static final class Profiles implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return GpuProfile.names().iterator();
    }
  }

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--profile",
      defaultValue = "rtx4090",
      completionCandidates = Profiles.class,
      description = "The GPU to simulate: ${COMPLETION-CANDIDATES} (default rtx4090).")
  private String profile = "rtx4090";

  @Option(
      names = "--model",
      split = ",",
      description =
          "The served model name, or several (default " + SimulatorConfig.DEFAULT_MODEL + ").")
  private List<String> models = new ArrayList<>();

  @Option(names = "--host", description = "The address to listen on (default 127.0.0.1).")
  private String host = "127.0.0.1";

  @Option(names = "--port", description = "The port to listen on; 0 for a free one (default 8000).")
  private int port = 8000;

  @Option(
      names = "--max-model-len",
      description = "Tokens of prompt and output together (default 16384).")
  private @Nullable Integer maxModelLen;

  @Option(
      names = "--max-num-seqs",
      description = "Sequences that run at once (default by profile).")
  private @Nullable Integer maxNumSeqs;

  @Option(
      names = "--max-num-batched-tokens",
      description = "Tokens computed in one step (default by profile).")
  private @Nullable Integer maxNumBatchedTokens;

  @Option(names = "--kv-blocks", description = "KV-cache blocks of 16 tokens (default by profile).")
  private @Nullable Integer kvBlocks;

  @Option(names = "--seed", description = "Seed of the noise on step times (default 0).")
  private long seed;

  @Option(
      names = "--speed",
      description = "How many times faster than the GPU (default 1: real time).")
  private double speed = 1.0;

  /** Creates the command for picocli. */
  public SimulatorCommand() {}

  /** Runs the command on its own. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new SimulatorCommand()).execute(args));
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
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .unstarted(
                    () -> {
                      engine.close();
                      stopped.countDown();
                    }));
    commandLine()
        .getOut()
        .println("Simulated " + profile + " ready at " + engine.uri() + " (Ctrl-C stops it)");
    commandLine().getOut().flush();
    stopped.await();
    return CommandLine.ExitCode.OK;
  }

  SimulatorConfig config() {
    SimulatorConfig config =
        SimulatorConfig.of(GpuProfile.named(profile))
            .withHost(host)
            .withPort(port)
            .withSeed(seed)
            .withSpeed(speed);
    if (!models.isEmpty()) {
      config = config.withModels(models);
    }
    if (maxModelLen != null) {
      config = config.withMaxModelLen(maxModelLen);
    }
    if (maxNumSeqs != null) {
      config = config.withMaxNumSeqs(maxNumSeqs);
    }
    if (maxNumBatchedTokens != null) {
      config = config.withMaxNumBatchedTokens(maxNumBatchedTokens);
    }
    return kvBlocks == null ? config : config.withKvBlocks(kvBlocks);
  }

  private CommandLine commandLine() {
    if (spec == null) {
      throw new IllegalStateException("The simulator command runs through picocli only.");
    }
    return spec.commandLine();
  }
}
