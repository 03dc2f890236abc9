package io.sluice.producer.batch;

import io.sluice.common.protocol.Priority;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The specification of a batch job.
 *
 * @param errors the file for failures; empty to write them to the output
 * @param maxInFlight the maximum number of requests in the pool at once
 * @param model replaces the model that the lines name
 * @param timeout the time until each request's deadline; empty for the default of the priority
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

  /** Returns a bulk job with the default settings. */
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
