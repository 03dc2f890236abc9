package io.sluice.standalone.kafka;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.apache.kafka.common.utils.Exit;

/**
 * Says on standard error that Kafka ends this process. A broker ends its process when it cannot
 * continue, such as with a broken disk or a port that is taken; Kafka only logs it.
 */
public final class FatalFaults {
  private FatalFaults() {}

  /**
   * Announces such an end from now on.
   *
   * @param log where the log goes, if it does not go to the console
   */
  public static void announce(Supplier<Optional<Path>> log) {
    Exit.setExitProcedure(announced(log, System::exit));
    Exit.setHaltProcedure(announced(log, Runtime.getRuntime()::halt));
  }

  private static Exit.Procedure announced(Supplier<Optional<Path>> log, IntConsumer end) {
    return (status, message) -> {
      System.err.println(
          "sluice: Kafka met a fault that it does not survive, and ends this process; the last errors of its log say which"
              + log.get().map(file -> " (log: " + file + ")").orElse(""));
      end.accept(status);
    };
  }
}
