package io.sluice.cli.request;

import io.sluice.cli.DurationConverter;
import io.sluice.producer.client.AttachOptions;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Option;

/** Where the answer to a request is, for those that do not follow from its id. */
final class AnswerPlace {
  @Option(
      names = "--since",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "How long ago the request was sent at most, such as 2h; needed only for ids that are no"
              + " UUIDv7, which are else looked for from the partition's beginning.")
  private Optional<Duration> since = Optional.empty();

  @Option(
      names = "--reply-to",
      paramLabel = "TOPIC",
      description = "The request's reply topic, if that is not sluice.replies.")
  private Optional<String> replyTo = Optional.empty();

  @Option(
      names = "--reply-partition",
      paramLabel = "N",
      description = "The request's reply partition, if it fixed one.")
  private Optional<Integer> replyPartition = Optional.empty();

  AttachOptions options(Clock clock) {
    OptionalInt partition =
        replyPartition.isPresent() ? OptionalInt.of(replyPartition.get()) : OptionalInt.empty();
    AttachOptions options = AttachOptions.standard().on(replyTo, partition);
    return since.map(ago -> options.since(clock.instant().minus(ago))).orElse(options);
  }
}
