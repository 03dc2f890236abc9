package io.sluice.standalone.kafka;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.common.utils.Exit;

/**
 * Says on standard error that Kafka ends this process. A broker ends its process when it cannot go
 * on, such as with a broken disk or a port that is taken; Kafka only logs it.
 */
public final class FatalFaults {
  private FatalFaults() {}

  /**
   * Announces such an end from now on.
   *
   * @param log where the log goes, if it does not go to the console
   */
  public static void announce(Supplier<Optional<Path>> log) {
    Exit.setExitProcedure(
        (status, message) -> {
          say(log.get());
          System.exit(status);
        });
    Exit.setHaltProcedure(
        (status, message) -> {
          say(log.get());
          Runtime.getRuntime().halt(status);
        });
  }

  private static void say(Optional<Path> log) {
    System.err.println(
        "sluice: Kafka met a fault that it does not survive, and ends this process; the last errors of its log say which"
            + log.map(file -> " (log: " + file + ")").orElse(""));
  }
}
