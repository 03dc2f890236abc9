package io.sluice.cli.request;

import io.sluice.cli.ClientOptions;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.DurationConverter;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.config.PlainText;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.AttachOptions;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code cancel ID}: cancels a waiting or running request, and reports the result. */
@Command(
    name = "cancel",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Cancel a request, waiting or running, of any client.",
    footer = {"", "Exits with 0 once the request is known to have ended."})
public final class CancelCommand implements Callable<Integer> {
  /** The log must be read before it is known to contain nothing about the request. */
  private static final Duration READING = Duration.ofSeconds(10);

  /** The result for the request. */
  private enum Result {
    CANCELLED,
    ANSWERED,
    FAILED,
    RUNNING,
    UNKNOWN
  }

  /** The output of {@code --json}. */
  private record Report(String requestId, Result result, String message) {}

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Parameters(paramLabel = "ID", description = "The request's id.")
  private String requestId = "";

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      defaultValue = "5s",
      description = "How long to wait for the request's end (default: ${DEFAULT-VALUE}).")
  private Duration wait = Duration.ofSeconds(5);

  @Option(names = "--json", description = "Print the result as JSON.")
  private boolean isJson;

  @Mixin private final ReplyLocationOptions place = new ReplyLocationOptions();
  @Mixin private final ClientOptions client = new ClientOptions();

  @Override
  public Integer call() throws InterruptedException {
    AttachOptions options = place.options(Clock.systemUTC()).waiting(wait);
    try (SluiceClient pool = ClientOptions.connect(client.clientConfig());
        ReplyStream stream = place.attach(pool, requestId, options)) {
      send(pool);
      Report report = watch(stream);
      boolean isOver = report.result() != Result.RUNNING && report.result() != Result.UNKNOWN;
      if (!isOver && !isJson) {
        throw new CommandFailedException(report.message());
      }
      PrintWriter out = spec.commandLine().getOut();
      out.println(isJson ? Json.text(report) : PlainText.line(report.message()));
      out.flush();
      return isOver ? 0 : 1;
    }
  }

  private void send(SluiceClient pool) throws InterruptedException {
    try {
      pool.cancel(requestId).get(READING.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new CommandFailedException("Kafka did not accept the cancellation: " + e.getCause(), e);
    } catch (TimeoutException e) {
      throw new CommandFailedException(
          "Kafka did not accept the cancellation in time: try again", e);
    }
  }

  private Report watch(ReplyStream stream) throws InterruptedException {
    long end = System.nanoTime() + wait.plus(READING).toNanos();
    try {
      Optional<ReplyEvent> event = stream.next(left(end));
      while (event.isPresent()) {
        if (event.get() instanceof ReplyEvent.Terminal terminal) {
          return report(terminal);
        }
        event = stream.next(wait.compareTo(left(end)) < 0 ? wait : left(end));
      }
    } catch (TimeoutException e) {
      // Reported below.
    }
    return report(
        Result.RUNNING,
        "the cancellation of %s was sent, but the request has not ended within %d ms: check with ./sluice attach"
            .formatted(requestId, wait.toMillis()));
  }

  private static Duration left(long endNanos) {
    return Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
  }

  private Report report(ReplyEvent.Terminal terminal) {
    return switch (terminal) {
      case ReplyEvent.Completed ignored ->
          report(Result.ANSWERED, requestId + " had already been answered");
      case ReplyEvent.Failed failed when failed.kind() == ErrorKind.CANCELLED ->
          report(Result.CANCELLED, requestId + " is cancelled");
      case ReplyEvent.Failed failed when failed.kind() == ErrorKind.REQUEST_NOT_FOUND ->
          report(
              Result.UNKNOWN,
              "no record of %s: if the request arrives soon, it is cancelled then, while a router remembers the cancellation"
                  .formatted(requestId));
      case ReplyEvent.Failed failed when failed.kind().origin() == ErrorKind.Origin.CLIENT ->
          report(
              Result.RUNNING,
              "the cancellation was sent, but its effect could not be read: " + failed.message());
      case ReplyEvent.Failed failed ->
          report(
              Result.FAILED,
              "%s had already ended: %s: %s"
                  .formatted(requestId, failed.kind().code(), failed.message()));
    };
  }

  private Report report(Result result, String message) {
    return new Report(requestId, result, message);
  }
}
