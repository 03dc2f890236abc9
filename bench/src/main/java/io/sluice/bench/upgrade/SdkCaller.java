package io.sluice.bench.upgrade;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.ClientException;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.TimeoutException;

/** Streams chats with the SDK. Thread-safe. */
final class SdkCaller implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final SluiceClient client;

  SdkCaller(String kafka) {
    client = SluiceClient.connect(ClientConfig.at(kafka));
  }

  /** Sends one request and reads its answer to the end. */
  Reply call(int step, ObjectNode body) throws InterruptedException {
    long sent = System.nanoTime();
    StringBuilder text = new StringBuilder();
    OptionalDouble first = OptionalDouble.empty();
    try {
      ReplyStream stream = client.submit(inSdkTerms(body));
      while (true) {
        switch (stream.next(PATIENCE).orElseThrow()) {
          case ReplyEvent.Tokens more -> {
            text.append(more.text());
            first = first.isPresent() ? first : OptionalDouble.of((System.nanoTime() - sent) / 1e6);
          }
          case ReplyEvent.Restarted ignored -> text.setLength(0);
          case ReplyEvent.Resumed ignored -> {}
          case ReplyEvent.Completed completed -> {
            return reply(step, body, first, text, Optional.empty());
          }
          case ReplyEvent.Failed failed -> {
            return reply(step, body, first, text, Optional.of(failed.kind().code()));
          }
        }
      }
    } catch (ClientException | TimeoutException e) {
      return reply(step, body, first, text, Optional.of(String.valueOf(e)));
    }
  }

  private static Reply reply(
      int step, ObjectNode body, OptionalDouble first, StringBuilder text, Optional<String> error) {
    return new Reply(step, Reply.Way.SDK, body, first, text.toString(), error, 0);
  }

  private static InferenceRequest inSdkTerms(ObjectNode body) {
    return InferenceRequest.of(
            Endpoint.CHAT_COMPLETIONS, body.toString().getBytes(StandardCharsets.UTF_8))
        .timeout(PATIENCE)
        .build();
  }

  @Override
  public void close() {
    client.close();
  }
}
