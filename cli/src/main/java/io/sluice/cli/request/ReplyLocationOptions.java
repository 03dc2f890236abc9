package io.sluice.cli.request;

import io.sluice.cli.DurationConverter;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.AttachOptions;
import io.sluice.producer.reply.ReplyStream;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/**
 * The options that locate the answer to a request if its place does not follow from the request's
 * id.
 */
final class ReplyLocationOptions {
  @Spec(Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec command;

  @Option(
      names = "--since",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "The maximum age of the request, such as 2h; needed only for ids that are not UUIDv7,"
              + " for which the partition is otherwise searched from its beginning.")
  private Optional<Duration> since = Optional.empty();

  @Option(
      names = "--reply-to",
      paramLabel = "TOPIC",
      description = "The request's reply topic, if it is not sluice.replies.")
  private Optional<String> replyTo = Optional.empty();

  @Option(
      names = "--reply-partition",
      paramLabel = "N",
      description = "The request's reply partition, if the request set one.")
  private Optional<Integer> replyPartition = Optional.empty();

  AttachOptions options(Clock clock) {
    OptionalInt partition =
        replyPartition.isPresent() ? OptionalInt.of(replyPartition.get()) : OptionalInt.empty();
    AttachOptions options = AttachOptions.standard().on(replyTo, partition);
    return since.map(ago -> options.since(clock.instant().minus(ago))).orElse(options);
  }

  /**
   * Reads the answer to a request.
   *
   * @throws ParameterException if there is no such place
   */
  ReplyStream attach(SluiceClient pool, String requestId, AttachOptions options) {
    try {
      return pool.attach(requestId, options);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }
}
