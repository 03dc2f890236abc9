package io.sluice.bench.throughput;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.gateway.SseBody;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Json;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.InferenceRequest.Message;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.standalone.pool.PoolPlan;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** How callers ask for streams of a fixed number of tokens. Thread-safe. */
interface Way {
  Duration PATIENCE = Duration.ofMinutes(2);
  int OK = 200;

  /** A prompt, and the tokens of its answer. */
  record Ask(String prompt, int tokens) {}

  /**
   * Asks for one stream and reads it to its end.
   *
   * @throws IOException if the stream did not have all its tokens
   * @throws TimeoutException if nothing came for minutes
   */
  void stream(Ask ask) throws IOException, TimeoutException, InterruptedException;

  /** Through a gateway, over HTTP. */
  static Way gateway(Gateways gateways) {
    return ask -> {
      String body =
          """
          {"model":"%s","stream":true,"max_tokens":%s,"ignore_eos":true,
          "stream_options":{"include_usage":true},"messages":[{"role":"user","content":"%s"}]}"""
              .formatted(PoolPlan.MODEL, ask.tokens(), ask.prompt());
      HttpResponse<InputStream> response =
          gateways.post(0, "/v1/chat/completions", Map.of(), body, PATIENCE);
      if (response.statusCode() != OK) {
        try (InputStream error = response.body()) {
          throw new IOException(new String(error.readAllBytes(), StandardCharsets.UTF_8));
        }
      }
      String last = "";
      try (var events = new SseBody(response.body(), PATIENCE)) {
        for (var event = events.next(); event.isPresent(); event = events.next()) {
          String data = event.get().data();
          last = data.equals("[DONE]") ? last : data;
        }
      }
      JsonNode end = Json.tree(last.getBytes(StandardCharsets.UTF_8));
      if (end.has("error")) {
        throw new IOException(end.path("error").path("message").asText());
      }
      requireAll(ask.tokens(), Usage.in(end).orElse(Usage.NONE).completionTokens());
    };
  }

  /** From the topics, with the SDK. */
  static Way sdk(SluiceClient client) {
    return ask -> {
      InferenceRequest request =
          InferenceRequest.chat(PoolPlan.MODEL, List.of(Message.user(ask.prompt())))
              .with("max_tokens", ask.tokens())
              .with("ignore_eos", true)
              .build();
      int came = 0;
      ReplyStream stream = client.submit(request);
      for (Optional<ReplyEvent> event = stream.next(PATIENCE);
          event.isPresent();
          event = stream.next(PATIENCE)) {
        came =
            switch (event.get()) {
              case ReplyEvent.Tokens some -> came + some.count();
              case ReplyEvent.Restarted restarted -> came - restarted.tokensDiscarded();
              case ReplyEvent.Resumed ignored -> came;
              case ReplyEvent.Completed ignored -> came;
              case ReplyEvent.Failed failed -> throw new IOException(failed.message());
            };
      }
      requireAll(ask.tokens(), came);
    };
  }

  private static void requireAll(int tokens, int came) throws IOException {
    if (came != tokens) {
      throw new IOException("a stream of %d tokens had %d".formatted(tokens, came));
    }
  }
}
