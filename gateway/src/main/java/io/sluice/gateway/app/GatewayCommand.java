package io.sluice.gateway.app;

import io.sluice.config.SettingsCommand;
import io.sluice.gateway.config.GatewayConfig;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** {@code sluice gateway}: runs one gateway until it is told to stop. */
public final class GatewayCommand {
  private GatewayCommand() {}

  /** The command, for picocli. */
  public static CommandSpec spec() {
    return SettingsCommand.running(
        GatewayConfig.SCHEMA,
        "Runs a gateway: serves OpenAI's API over HTTP from the pool.",
        GatewayCommand::run);
  }

  private static int run(GatewayConfig config, CommandLine command) throws InterruptedException {
    var stopped = new CountDownLatch(1);
    Gateway gateway = Gateway.start(config);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  gateway.close();
                  stopped.countDown();
                },
                "sluice-shutdown"));
    command.getOut().printf("gateway ready: http://%s:%d/v1%n", config.host(), gateway.port());
    command.getOut().flush();
    stopped.await();
    return 0;
  }
}
