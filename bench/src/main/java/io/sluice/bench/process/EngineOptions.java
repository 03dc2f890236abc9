package io.sluice.bench.process;

import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of a command that uses simulated or real engines. */
public final class EngineOptions {
  @Option(
      names = "--engine-command",
      paramLabel = "COMMAND",
      description =
          "Shell command that runs a real engine in the foreground; {port} stands for its port."
              + " It is started once for each engine. Default: simulated engines.")
  private Optional<String> command = Optional.empty();

  @Option(
      names = "--engine-model",
      paramLabel = "NAME",
      description = "The model that real engines serve. Default: tiny.")
  private String model = "tiny";

  @Option(
      names = "--engine-context",
      paramLabel = "TOKENS",
      description = "The context of real engines in tokens. Default: 2048.")
  private int context = 2_048;

  /**
   * Returns the kind of engines that the options ask for.
   *
   * @throws ParameterException if {@code --engine-command} is not valid
   */
  public EngineKind kind(CommandSpec spec) {
    return command
        .map(text -> EngineKind.of(commandOf(text, spec), model, context))
        .orElseGet(EngineKind::simulated);
  }

  /**
   * Reads {@code --engine-command}.
   *
   * @throws ParameterException if it is not a valid command of an engine
   */
  public static EngineCommand commandOf(String text, CommandSpec spec) {
    try {
      return new EngineCommand(text);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--engine-command: " + e.getMessage(), e);
    }
  }
}
