package io.sluice.router.app;

import io.sluice.config.SettingsCommand;
import io.sluice.config.StopSignal;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** {@code sluice router}: one router against a real Kafka and Redis, until it is told to stop. */
public final class RouterCommand {
  private static final Duration READY_WITHIN = Duration.ofMinutes(2);

  private RouterCommand() {}

  /** Returns the command, for picocli. */
  public static CommandSpec spec() {
    return SettingsCommand.running(
        RouterConfig.SCHEMA,
        "Run a router: assign requests to workers. It stops on SIGTERM; other routers take over its"
            + " partitions at once.",
        RouterCommand::run);
  }

  private static int run(RouterConfig config, CommandLine command) throws InterruptedException {
    Router router = Router.start(config);
    StopSignal stop = StopSignal.running(router::close);
    if (!router.awaitReady(READY_WITHIN)) {
      throw new IllegalStateException(
          "the router did not get its partitions within %d s; see the log, and check Kafka at %s"
              .formatted(READY_WITHIN.toSeconds(), config.pool().kafka()));
    }
    command.getOut().printf("router %s ready: health on port %s%n", config.id(), router.port());
    command.getOut().flush();
    stop.await();
    return 0;
  }
}
