package io.sluice.cli.request;

import io.sluice.cli.ClientOptions;
import io.sluice.cli.DurationConverter;
import io.sluice.cli.PriorityConverter;
import io.sluice.cli.ShutdownHook;
import io.sluice.cli.Terminal;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.RequestId;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.InferenceRequest.Message;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.ReplyStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code chat [PROMPT]}: streams an answer; without a prompt, holds a conversation with one line
 * per turn.
 */
@Command(
    name = "chat",
    mixinStandardHelpOptions = true,
    description = "Stream an answer to the terminal; without a prompt, hold a conversation.")
public final class ChatCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Parameters(arity = "0..*", paramLabel = "PROMPT", description = "The prompt.")
  private List<String> prompt = List.of();

  @Option(
      names = "--model",
      defaultValue = "${env:SLUICE_MODEL:-sluice-8b}",
      description = "The model (default: ${DEFAULT-VALUE}; also SLUICE_MODEL).")
  private String model = "";

  @Option(names = "--tier", description = "fast, balanced, precise or auto.")
  private Optional<String> tier = Optional.empty();

  @Option(
      names = "--priority",
      converter = PriorityConverter.class,
      defaultValue = "interactive",
      description = "urgent, interactive or bulk (default: ${DEFAULT-VALUE}).")
  private Priority priority = Priority.INTERACTIVE;

  @Option(
      names = "--deadline",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "How long to wait for the answer, such as 30s (default: 60s, for bulk 24h).")
  private Optional<Duration> deadline = Optional.empty();

  @Option(
      names = "--max-tokens",
      paramLabel = "N",
      description = "The maximum length of the answer, in tokens.")
  private Optional<Integer> maxTokens = Optional.empty();

  @Option(names = "--raw", description = "Print the reply records instead of the text.")
  private boolean isRaw;

  @Mixin private final ClientOptions client = new ClientOptions();

  @Override
  public Integer call() throws Exception {
    if (maxTokens.isPresent() && maxTokens.get() < 1) {
      throw new ParameterException(spec.commandLine(), "--max-tokens must be at least 1");
    }
    try (SluiceClient pool = ClientOptions.connect(client.clientConfig())) {
      return prompt.isEmpty()
          ? converse(pool)
          : answer(pool, List.of(Message.user(String.join(" ", prompt))), RequestId.next())
                  .isPresent()
              ? 0
              : 1;
    }
  }

  /** Runs until the input ends. A failed turn is left out of the conversation, which continues. */
  private int converse(SluiceClient pool) throws IOException, InterruptedException {
    boolean isTerminal = Terminal.isInteractive();
    PrintWriter out = spec.commandLine().getOut();
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, Terminal.inputCharset()));
    List<Message> messages = new ArrayList<>();
    String conversation = RequestId.next();
    boolean hasFailed = false;
    while (true) {
      if (isTerminal) {
        out.print("> ");
        out.flush();
      }
      String line = input.readLine();
      if (line == null) {
        return hasFailed ? 1 : 0;
      }
      if (line.isBlank()) {
        continue;
      }
      messages.add(Message.user(line));
      Optional<String> text = answer(pool, messages, conversation);
      if (text.isPresent()) {
        messages.add(Message.assistant(text.get()));
      } else {
        messages.removeLast();
        hasFailed = true;
      }
    }
  }

  /** Streams one answer; returns empty if it failed. */
  private Optional<String> answer(SluiceClient pool, List<Message> messages, String conversation)
      throws InterruptedException {
    ReplyStream stream = pool.submit(request(messages, conversation));
    try (ShutdownHook _ = ShutdownHook.of(() -> cancel(pool, stream))) {
      return new StreamPrinter(spec.commandLine().getOut(), spec.commandLine().getErr(), isRaw)
          .print(stream);
    }
  }

  private InferenceRequest request(List<Message> messages, String conversation) {
    InferenceRequest.Builder request =
        InferenceRequest.chat(model, messages)
            .with("stream_options", Map.of("include_usage", true))
            .priority(priority)
            .conversationId(conversation);
    tier.ifPresent(request::tier);
    deadline.ifPresent(request::timeout);
    maxTokens.ifPresent(tokens -> request.with("max_tokens", tokens));
    return request.build();
  }

  /** After Ctrl-C, no one reads the rest of the answer. */
  private static void cancel(SluiceClient pool, ReplyStream stream) {
    stream.cancel();
    pool.close();
  }
}
