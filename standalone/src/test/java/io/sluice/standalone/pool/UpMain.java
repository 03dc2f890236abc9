package io.sluice.standalone.pool;

import io.sluice.standalone.kafka.FatalFaults;
import java.util.Arrays;
import java.util.Optional;
import picocli.CommandLine;

/** Runs {@code up} on free ports. Arguments: {@code up} and its options. */
final class UpMain {
  private UpMain() {}

  public static void main(String[] arguments) {
    FatalFaults.announce(Optional::empty);
    var command = new CommandLine(new UpCommand(Ports.free()));
    System.exit(command.execute(Arrays.copyOfRange(arguments, 1, arguments.length)));
  }
}
