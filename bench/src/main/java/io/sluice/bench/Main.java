package io.sluice.bench;

import io.sluice.bench.replay.ReplayCommand;
import java.util.Arrays;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ParameterException;

/** The main class of {@code ./sluice bench} and of {@code ./sluice replay}. */
public final class Main {
  /** The command that is not a measurement, and has a name of its own. */
  private static final String REPLAY = "replay";

  private Main() {}

  public static void main(String[] arguments) {
    // A separate logging configuration: services that are started from here use their own.
    System.setProperty("logback.configurationFile", "logback-bench.xml");
    boolean isReplay = arguments.length > 0 && arguments[0].equals(REPLAY);
    System.exit(
        commandLine(isReplay ? new ReplayCommand() : new BenchCommand(), isVerbose())
            .execute(isReplay ? Arrays.copyOfRange(arguments, 1, arguments.length) : arguments));
  }

  private static boolean isVerbose() {
    return System.getenv("SLUICE_DEBUG") != null;
  }

  /** Returns a command. An error prints one line, and a stack trace only if asked for. */
  static CommandLine commandLine(Object command, boolean verbose) {
    return new CommandLine(command)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(
            (e, arguments) -> {
              print(e.getCommandLine(), message(e) + seeHelp(e));
              return ExitCode.USAGE;
            })
        .setExecutionExceptionHandler(
            (e, failed, result) -> {
              print(failed, message(e));
              if (verbose) {
                e.printStackTrace(failed.getErr());
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
