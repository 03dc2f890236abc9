package io.sluice.cli.operations;

import io.sluice.common.protocol.Json;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code worker list}: lists the workers with a recent heartbeat. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    description = "List the workers of the pool and their state.")
public final class WorkerListCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(names = "--json", description = "Print JSON.")
  private boolean isJson;

  @Mixin private final PoolOptions pool = new PoolOptions();

  @Override
  public Integer call() {
    try (PoolOptions.Fleet fleet = pool.open()) {
      FleetStatus status = fleet.read();
      PrintWriter out = spec.commandLine().getOut();
      out.print(
          isJson
              ? Json.text(status.workers()) + System.lineSeparator()
              : FleetTable.workers(status));
      out.flush();
      return 0;
    }
  }
}
