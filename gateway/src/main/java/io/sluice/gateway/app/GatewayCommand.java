package io.sluice.gateway.app;

import io.sluice.config.SettingsCommand;
import io.sluice.config.StopSignal;
import io.sluice.gateway.config.GatewayConfig;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** {@code sluice gateway}: runs one gateway until it is told to stop. */
public final class GatewayCommand {
  private GatewayCommand() {}

  /** Returns the command, for picocli. */
  public static CommandSpec spec() {
    return SettingsCommand.running(
        GatewayConfig.SCHEMA,
        "Run a gateway: serve OpenAI's API over HTTP from the pool.",
        GatewayCommand::run);
  }

  private static int run(GatewayConfig config, CommandLine command) throws InterruptedException {
    Gateway gateway = Gateway.start(config);
    StopSignal stop = StopSignal.running(gateway::close);
    command.getOut().printf("gateway ready: http://%s:%s/v1%n", config.host(), gateway.port());
    command.getOut().flush();
    stop.await();
    return 0;
  }
}
