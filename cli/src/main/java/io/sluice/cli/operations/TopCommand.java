package io.sluice.cli.operations;

import io.sluice.cli.Counted;
import io.sluice.cli.Terminal;
import io.sluice.common.protocol.Json;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code top}: shows the fleet and its backlog, refreshed every second on a terminal, once
 * elsewhere.
 */
@Command(
    name = "top",
    mixinStandardHelpOptions = true,
    description =
        "Show the workers, their load and breakers, and the backlog; live on a terminal, until"
            + " Ctrl-C.")
public final class TopCommand implements Callable<Integer> {
  private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J";
  private static final long MILLIS_PER_SECOND = 1000;

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "1",
      description = "The refresh interval (default: ${DEFAULT-VALUE}).")
  private int intervalSeconds;

  @Option(names = "--once", description = "Print the state once, also on a terminal.")
  private boolean isOnce;

  @Option(names = "--json", description = "Print the state once, as JSON.")
  private boolean isJson;

  @Mixin private final PoolOptions pool = new PoolOptions();

  @Override
  public Integer call() throws InterruptedException {
    if (intervalSeconds < 1) {
      throw new ParameterException(spec.commandLine(), "--interval must be at least 1");
    }
    boolean isLive = !isOnce && !isJson && Terminal.isInteractive();
    try (PoolOptions.Fleet fleet = pool.open()) {
      show(fleet.read(), isLive);
      while (isLive) {
        Thread.sleep(intervalSeconds * MILLIS_PER_SECOND);
        try {
          show(fleet.read(), true);
        } catch (FleetUnreachableException e) {
          // Operators watch this while Redis is away, so it resumes by itself when Redis is back.
          spec.commandLine().getErr().println("sluice: " + e.getMessage());
          spec.commandLine().getErr().flush();
        }
      }
      return 0;
    }
  }

  private void show(FleetStatus status, boolean isLive) {
    PrintWriter out = spec.commandLine().getOut();
    if (isJson) {
      out.println(Json.text(status));
    } else {
      out.print(isLive ? CLEAR_SCREEN : "");
      out.print(
          "%s, %s%n%n"
              .formatted(
                  Counted.of(status.workers().size(), "worker"),
                  Counted.of(status.routers(), "router")));
      out.print(FleetTable.workers(status));
      out.print(System.lineSeparator());
      out.print(FleetTable.backlog(status));
    }
    out.flush();
  }
}
