package io.sluice.services;

import java.util.List;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The root of the command line, with the options that all commands share. */
@Command(
    name = "sluice",
    mixinStandardHelpOptions = true,
    versionProvider = SluiceCommand.Version.class,
    scope = ScopeType.INHERIT,
    synopsisSubcommandLabel = "COMMAND",
    description = "A message-driven LLM inference worker pool.",
    footer = {"", "Exit codes: 0 ok, 1 failed work, 2 wrong usage."})
final class SluiceCommand implements Runnable {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Show the log and full stack traces (also: SLUICE_DEBUG=1).")
  boolean verbose;

  /** Called if the arguments name no command. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command");
  }

  static CommandLine commandLine(List<Commands.Entry> entries, boolean verbose) {
    var root = new CommandLine(new SluiceCommand());
    entries.forEach(entry -> add(root, entry));
    return root.setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(new OneLineErrors(verbose))
        .setExecutionExceptionHandler(new OneLineErrors(verbose));
  }

  private static void add(CommandLine parent, Commands.Entry entry) {
    var command = new CommandLine(entry.command().get());
    entry.subcommands().forEach(child -> add(command, child));
    parent.addSubcommand(entry.name(), command);
  }

  /** Reports the version that the jar was built as. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = SluiceCommand.class.getPackage().getImplementationVersion();
      return new String[] {"sluice " + Objects.requireNonNullElse(version, "(not packaged)")};
    }
  }
}
