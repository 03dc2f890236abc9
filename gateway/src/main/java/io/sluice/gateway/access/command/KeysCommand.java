package io.sluice.gateway.access.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice keys}: the group of the commands for API keys. */
@Command(name = "keys", description = "Create, list or revoke API keys of the gateway.")
public final class KeysCommand implements Runnable {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  /** Called when no subcommand is named. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing subcommand");
  }
}
