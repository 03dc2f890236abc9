package io.sluice.bench.pool;

import io.sluice.bench.process.Progress;
import io.sluice.bench.traffic.ServicePool;
import io.sluice.bench.traffic.SimulatedEngineOptions;
import io.sluice.config.StopSignal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.kafka.common.utils.Utils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench pool}: a pool of separate processes, for clients and load tools. */
@Command(
    name = "pool",
    sortOptions = false,
    description =
        "Start a pool whose router, workers, gateway and simulated engines are processes of their"
            + " own, for clients and load tools. Prints the gateway's address and the process ids."
            + " Runs until it is stopped with Ctrl-C or SIGTERM.")
public final class PoolCommand implements Callable<Integer> {
  /** Like {@code ./sluice up}: clients can use tools, and see what was cached. */
  private static final List<String> ENGINE_OPTIONS =
      List.of("--enable-prompt-tokens-details", "--enable-auto-tool-choice");

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--engines",
      paramLabel = "N",
      description = "Number of engines, each with a worker (default: ${DEFAULT-VALUE}).")
  private int engines = 2;

  @Mixin private SimulatedEngineOptions each = new SimulatedEngineOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (engines < 1 || !each.isValid()) {
      throw new ParameterException(
          spec.commandLine(), "--engines and --max-num-seqs must be more than 0");
    }
    PrintWriter out = spec.commandLine().getOut();
    Path files = Files.createTempDirectory("sluice-pool-files-");
    var pool =
        new ServicePool(
            "pool",
            each.engines(engines),
            Map.of("simulator", ENGINE_OPTIONS, "gateway", List.of("--files=folder:" + files)));
    StopSignal stop = StopSignal.running(() -> end(pool, files));
    new Progress(out).accept("starting a pool");
    pool.start();
    pool.processes().forEach(process -> out.println(process.name() + ": " + process.pid()));
    out.println("ready: " + pool.gateway());
    out.flush();
    stop.await();
    return 0;
  }

  private static void end(ServicePool pool, Path files) {
    try {
      pool.close();
      Utils.delete(files.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
