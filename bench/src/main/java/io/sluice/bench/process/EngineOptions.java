package io.sluice.bench.process;

import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of a command that runs over simulated engines, or over real ones. */
public final class EngineOptions {
  @Option(
      names = "--engine-command",
      paramLabel = "COMMAND",
      description =
          "Over real engines, each started by this command of the shell, which stays in the"
              + " foreground; {port} stands for its port. Default: simulated ones.")
  private Optional<String> command = Optional.empty();

  @Option(
      names = "--engine-model",
      paramLabel = "NAME",
      description = "What real engines serve. Default: tiny.")
  private String model = "tiny";

  @Option(
      names = "--engine-context",
      paramLabel = "TOKENS",
      description = "The context of real engines. Default: 2048.")
  private int context = 2_048;

  /**
   * Which engines were asked for.
   *
   * @throws ParameterException if the command is none
   */
  public EngineKind kind(CommandSpec spec) {
    return command
        .map(text -> EngineKind.of(commandOf(text, spec), model, context))
        .orElseGet(EngineKind::simulated);
  }

  /**
   * Reads {@code --engine-command}.
   *
   * @throws ParameterException if it is no command of an engine
   */
  public static EngineCommand commandOf(String text, CommandSpec spec) {
    try {
      return new EngineCommand(text);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--engine-command: " + e.getMessage(), e);
    }
  }
}
