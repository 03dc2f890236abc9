package io.sluice.cli.request;

import io.sluice.cli.ClientOptions;
import io.sluice.cli.DurationConverter;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.AttachOptions;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.producer.reply.RequestFailedException;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code attach ID}: reads the answer to any request, from its beginning and while it is generated.
 */
@Command(
    name = "attach",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Read the answer to a request from its beginning, and follow it to its end.",
    footer = {"", "Stopping this command does not end the request; the cancel command does."})
public final class AttachCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Parameters(paramLabel = "ID", description = "The request's id.")
  private String requestId = "";

  @Option(
      names = "--from",
      paramLabel = "INDEX",
      defaultValue = "0",
      description = "The index of the first token; output begins with the record that contains it.")
  private int from;

  @Option(names = "--raw", description = "Print the reply records instead of the text.")
  private boolean isRaw;

  @Option(names = "--json", description = "Print the whole answer, or the error, as JSON.")
  private boolean isJson;

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "How long to wait for the first record (default: 3s, or longer while an interactive request"
              + " of that id may still be waiting).")
  private Optional<Duration> wait = Optional.empty();

  @Mixin private final ReplyLocationOptions place = new ReplyLocationOptions();
  @Mixin private final ClientOptions client = new ClientOptions();

  @Override
  public Integer call() throws Exception {
    if (from < 0) {
      throw new ParameterException(spec.commandLine(), "--from must be at least 0");
    }
    if (isRaw && isJson) {
      throw new ParameterException(spec.commandLine(), "choose either --raw or --json");
    }
    AttachOptions located = place.options(Clock.systemUTC()).from(from);
    AttachOptions options = wait.map(located::waiting).orElse(located);
    try (SluiceClient pool = ClientOptions.connect(client.clientConfig());
        ReplyStream stream = place.attach(pool, requestId, options)) {
      return isJson ? printJson(stream) : print(stream);
    }
  }

  private int print(ReplyStream stream) throws InterruptedException {
    var printer =
        new StreamPrinter(spec.commandLine().getOut(), spec.commandLine().getErr(), isRaw);
    return printer.print(stream).isPresent() ? 0 : 1;
  }

  private int printJson(ReplyStream stream) throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    try {
      out.println(stream.answer().get().json());
      return 0;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RequestFailedException failed) {
        out.println(failed.failure().json());
        return 1;
      }
      throw new IllegalStateException(e);
    } finally {
      out.flush();
    }
  }
}
