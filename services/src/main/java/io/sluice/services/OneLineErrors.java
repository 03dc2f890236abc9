package io.sluice.services;

import io.sluice.config.InvalidSettingsException;
import io.sluice.config.PlainText;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Reports a failed command on standard error: what happened, and where to look further, in one
 * line; of several wrong settings each has a line. {@code --verbose} adds the stack trace.
 */
final class OneLineErrors implements IParameterExceptionHandler, IExecutionExceptionHandler {
  private final boolean verbose;

  OneLineErrors(boolean verbose) {
    this.verbose = verbose;
  }

  @Override
  public int handleParseException(ParameterException e, String[] arguments) {
    CommandLine command = e.getCommandLine();
    String help = "(see: %s --help)".formatted(command.getCommandSpec().qualifiedName());
    if (e.getCause() instanceof InvalidSettingsException invalid && invalid.problems().size() > 1) {
      print(command, "%d settings are wrong %s".formatted(invalid.problems().size(), help));
      invalid.problems().forEach(problem -> command.getErr().println("  " + problem));
      command.getErr().flush();
    } else {
      print(command, message(e) + " " + help);
    }
    return ExitCode.USAGE;
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult parseResult) {
    print(command, message(e) + Logging.file().map(file -> " (log: " + file + ")").orElse(""));
    if (verbose) {
      e.printStackTrace(command.getErr());
    }
    return ExitCode.SOFTWARE;
  }

  private static void print(CommandLine command, String line) {
    command.getErr().println("sluice: " + line);
    command.getErr().flush();
  }

  private static String message(Throwable e) {
    String message = Objects.requireNonNullElse(e.getMessage(), e.toString());
    return PlainText.line(
        message.lines().map(String::strip).reduce((a, b) -> a + " " + b).orElse(e.toString()));
  }
}
