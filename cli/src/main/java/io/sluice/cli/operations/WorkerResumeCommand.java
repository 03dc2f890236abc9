package io.sluice.cli.operations;

import io.sluice.fleet.WorkerOrder;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code worker resume}: ends a drain. */
@Command(
    name = "resume",
    mixinStandardHelpOptions = true,
    description = "Let a drained worker accept requests again.")
public final class WorkerResumeCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "ID", description = "The worker's id.")
  private String worker = "";

  @Mixin private final PoolOptions pool = new PoolOptions();

  @Override
  public Integer call() {
    try (PoolOptions.Fleet fleet = pool.open()) {
      fleet.order(worker, WorkerOrder.RESUME);
      PrintWriter out = spec.commandLine().getOut();
      out.println("%s accepts requests again".formatted(worker));
      out.flush();
      return 0;
    }
  }
}
