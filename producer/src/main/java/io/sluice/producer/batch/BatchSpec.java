package io.sluice.producer.batch;

import io.sluice.common.protocol.Priority;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What a batch job is to do.
 *
 * @param errors where failures go; into the output if empty
 * @param maxInFlight how many requests are in the pool at once, at most
 * @param model replaces the model that the lines name
 * @param timeout how long each answer is wanted; the priority's default if empty
 */
public record BatchSpec(
    Path input,
    Path output,
    Optional<Path> errors,
    Priority priority,
    int maxInFlight,
    Optional<String> model,
    Optional<Duration> timeout) {
  public static final int DEFAULT_MAX_IN_FLIGHT = 256;

  public BatchSpec {
    if (maxInFlight < 1) {
      throw new IllegalArgumentException("maxInFlight must be at least 1, not " + maxInFlight);
    }
  }

  /** A bulk job with the defaults. */
  public static BatchSpec bulk(Path input, Path output) {
    return new BatchSpec(
        input,
        output,
        Optional.empty(),
        Priority.BULK,
        DEFAULT_MAX_IN_FLIGHT,
        Optional.empty(),
        Optional.empty());
  }
}
