package io.sluice.cli.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/** What the tests of commands share. */
public final class TestCommands {
  private TestCommands() {}

  /** Reports errors as one line, like the launcher. */
  public static CommandLine withOneLineErrors(CommandLine command) {
    return command
        .setParameterExceptionHandler(
            (e, all) -> {
              e.getCommandLine().getErr().println(e.getMessage());
              return ExitCode.USAGE;
            })
        .setExecutionExceptionHandler(
            (e, failed, parsed) -> {
              failed.getErr().println(e.getMessage());
              return ExitCode.SOFTWARE;
            });
  }

  /** Returns the address of a port that was free a moment ago. */
  public static String unusedAddress() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return "127.0.0.1:" + socket.getLocalPort();
    }
  }
}
