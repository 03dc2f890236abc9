package io.sluice.cli.deadletter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.cli.ClientOptions;
import io.sluice.cli.CommandFailedException;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Topics;
import io.sluice.config.PlainText;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.deadletter.DeadLetter;
import io.sluice.producer.deadletter.DeadLetterFilter;
import io.sluice.producer.deadletter.DeadLetterLog;
import io.sluice.producer.reply.AttachOptions;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code dead-letters show ID}: shows the whole history of a request that could not be answered.
 */
@Command(
    name = "show",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Show a dead letter with its headers and the history of its attempts.",
    footer = {"", "The texts of the request and its answer are shown only on request."})
public final class DeadLetterShowCommand implements Callable<Integer> {
  private static final Duration READING = Duration.ofSeconds(10);

  /** Allows for clock differences: no reply is earlier than this before the request was sent. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

  /** The answer so far, or why it cannot be read. */
  private record Partial(Optional<String> text, String problem) {}

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Parameters(paramLabel = "ID", description = "The request's id.")
  private String requestId = "";

  @Option(names = "--body", description = "Also show the request's body.")
  private boolean isBodyWanted;

  @Option(
      names = "--text",
      description = "Also show the text that was generated, if the log still holds it.")
  private boolean isTextWanted;

  @Option(names = "--json", description = "Print JSON, with all characters of body and text.")
  private boolean isJson;

  @Mixin private final ClientOptions client = new ClientOptions();

  @Override
  public Integer call() throws InterruptedException {
    ClientConfig config = client.clientConfig();
    DeadLetter deadLetter = ClientOptions.reach(config, () -> find(config));
    Optional<String> body =
        isBodyWanted ? ClientOptions.reach(config, () -> body(config)) : Optional.empty();
    Optional<Partial> partial =
        isTextWanted ? Optional.of(partialText(config, deadLetter)) : Optional.empty();
    PrintWriter out = spec.commandLine().getOut();
    if (isJson) {
      ObjectNode json = Json.mapper().valueToTree(deadLetter);
      body.ifPresent(text -> json.put("body", text));
      partial.flatMap(Partial::text).ifPresent(text -> json.put("text", text));
      out.println(Json.text(json));
    } else {
      out.print(DeadLetterTable.of(deadLetter));
      body.ifPresent(text -> section(out, "body", text));
      partial.ifPresent(
          part -> section(out, "text", part.text().orElseGet(() -> "(" + part.problem() + ")")));
    }
    out.flush();
    return 0;
  }

  private static void section(PrintWriter out, String name, String text) {
    out.println(name);
    out.println(PlainText.lines(text));
  }

  private DeadLetter find(ClientConfig config) {
    try (DeadLetterLog log = DeadLetterLog.open(config)) {
      List<DeadLetter> found = log.list(DeadLetterFilter.of(requestId));
      if (found.isEmpty()) {
        throw new CommandFailedException(
            "no dead letter of request %s: check the id; dead letters are kept for two days"
                .formatted(requestId));
      }
      return found.getLast();
    }
  }

  private Optional<String> body(ClientConfig config) {
    try (DeadLetterLog log = DeadLetterLog.open(config)) {
      return log.body(requestId).map(bytes -> new String(bytes, StandardCharsets.UTF_8));
    }
  }

  /** Reads the partial answer by the reading rule, from the request's reply address. */
  private Partial partialText(ClientConfig config, DeadLetter deadLetter)
      throws InterruptedException {
    if (deadLetter.history().tokens() == 0 && deadLetter.history().attempts() == 0) {
      return new Partial(Optional.of(""), "");
    }
    Optional<String> topic = deadLetter.replyTo().filter(Topics::isReplyTopic);
    AttachOptions options =
        AttachOptions.standard()
            .on(topic, deadLetter.replyPartition())
            .waiting(Duration.ofSeconds(1))
            .since(Instant.ofEpochMilli(deadLetter.sentEpochMillis()).minus(CLOCK_SKEW));
    try (SluiceClient pool = ClientOptions.connect(config);
        ReplyStream stream = pool.attach(requestId, options)) {
      return read(stream);
    } catch (IllegalArgumentException e) {
      return new Partial(Optional.empty(), String.valueOf(e.getMessage()));
    }
  }

  private static Partial read(ReplyStream stream) throws InterruptedException {
    StringBuilder text = new StringBuilder();
    try {
      Optional<ReplyEvent> event = stream.next(READING);
      while (event.isPresent()) {
        switch (event.get()) {
          case ReplyEvent.Tokens tokens -> text.append(tokens.text());
          case ReplyEvent.Restarted ignored -> text.setLength(0);
          case ReplyEvent.Failed failed when failed.kind().origin() == ErrorKind.Origin.CLIENT -> {
            return new Partial(Optional.empty(), failed.message());
          }
          case ReplyEvent.Resumed ignored -> {}
          case ReplyEvent.Completed ignored -> {}
          case ReplyEvent.Failed ignored -> {}
        }
        event = stream.next(READING);
      }
    } catch (TimeoutException e) {
      // All existing records were read; the record that ends the stream was not written yet.
    }
    return new Partial(Optional.of(text.toString()), "");
  }
}
