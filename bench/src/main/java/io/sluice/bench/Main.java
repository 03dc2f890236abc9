package io.sluice.bench;

import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ParameterException;

/** The main class of {@code ./sluice bench}. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    // A separate logging configuration: services that are started from here use their own.
    System.setProperty("logback.configurationFile", "logback-bench.xml");
    System.exit(commandLine(System.getenv("SLUICE_DEBUG") != null).execute(arguments));
  }

  /** The command group. An error prints one line, and a stack trace only if asked for. */
  static CommandLine commandLine(boolean verbose) {
    return new CommandLine(new BenchCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(
            (e, arguments) -> {
              print(e.getCommandLine(), message(e) + seeHelp(e));
              return ExitCode.USAGE;
            })
        .setExecutionExceptionHandler(
            (e, command, result) -> {
              print(command, message(e));
              if (verbose) {
                e.printStackTrace(command.getErr());
              }
              return ExitCode.SOFTWARE;
            });
  }

  private static String seeHelp(ParameterException e) {
    return " (see: %s --help)".formatted(e.getCommandLine().getCommandSpec().qualifiedName());
  }

  private static void print(CommandLine command, String line) {
    command.getErr().println("sluice: " + line);
    command.getErr().flush();
  }

  private static String message(Exception e) {
    return Objects.requireNonNullElse(e.getMessage(), e.toString()).replace('\n', ' ');
  }
}
