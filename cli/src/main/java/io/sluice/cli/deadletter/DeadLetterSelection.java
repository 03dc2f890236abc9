package io.sluice.cli.deadletter;

import io.sluice.cli.DurationConverter;
import io.sluice.producer.deadletter.DeadLetterFilter;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options that select dead letters. */
final class DeadLetterSelection {
  @Option(
      names = "--code",
      paramLabel = "CODE",
      description = "Only dead letters with this error, such as engine_error.")
  private Optional<String> code = Optional.empty();

  @Option(
      names = "--tenant",
      paramLabel = "NAME",
      description = "Only dead letters of this tenant.")
  private Optional<String> tenant = Optional.empty();

  @Option(names = "--model", paramLabel = "NAME", description = "Only dead letters for this model.")
  private Optional<String> model = Optional.empty();

  @Option(
      names = "--since",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "Only dead letters that are at most this old, such as 2h.")
  private Optional<Duration> since = Optional.empty();

  boolean isEmpty() {
    return code.isEmpty() && tenant.isEmpty() && model.isEmpty() && since.isEmpty();
  }

  DeadLetterFilter filter(Clock clock) {
    return new DeadLetterFilter(
        Optional.empty(), code, tenant, model, since.map(ago -> clock.instant().minus(ago)));
  }
}
