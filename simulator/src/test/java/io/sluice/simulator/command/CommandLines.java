package io.sluice.simulator.command;

import io.sluice.config.SettingsCommand;
import io.sluice.simulator.SimulatorConfig;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine;

/** Reads command lines as {@code sluice simulator} does, without starting an engine. */
final class CommandLines {
  private CommandLines() {}

  /** Returns the configuration that flags and an environment give. */
  static SimulatorConfig config(Map<String, String> environment, String... flags) throws Exception {
    AtomicReference<SimulatorConfig> config = new AtomicReference<>();
    CommandLine line =
        new CommandLine(
            SettingsCommand.running(
                SimulatorSettings.SCHEMA,
                environment,
                "Reads settings.",
                (settings, command) -> {
                  config.set(settings.config(environment));
                  return 0;
                }));
    line.parseArgs(flags);
    Callable<Integer> command = line.getCommand();
    command.call();
    return config.get();
  }
}
