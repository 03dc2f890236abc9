package io.sluice.services;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice config SERVICE}: the settings that a service would start with. */
@Command(
    name = "config",
    synopsisSubcommandLabel = "SERVICE",
    description = "Print the settings that a service would start with, and where each comes from.")
final class ConfigCommand implements Runnable {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  /** Called when no service is named. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing service");
  }
}
