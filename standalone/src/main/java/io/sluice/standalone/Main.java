package io.sluice.standalone;

import java.util.Arrays;

/** Where the {@code sluice} launcher enters the JVM. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    boolean verbose =
        Arrays.asList(arguments).contains("--verbose") || System.getenv("SLUICE_DEBUG") != null;
    Logging.configure(Commands.kindOf(arguments), verbose);
    System.exit(SluiceCommand.commandLine(verbose).execute(arguments));
  }
}
