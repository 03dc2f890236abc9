package io.sluice.bench.overhead;

import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.InferenceRequest.Message;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Ways to ask for a stream: over HTTP, and through the pool's topics. */
final class Ways {
  private static final Duration EVENT_WITHIN = Duration.ofSeconds(60);
  private static final String PROMPT = "A question of some length, as people ask them. ".repeat(8);
  private static final String DATA = "data: {";

  private Ways() {}

  /** Over HTTP/1.1, which all servers understand, at a base URL without {@code /v1}. */
  static Contestant.Way http(HttpClient client, URI base) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + "/v1/chat/completions"))
            .header("content-type", "application/json")
            .header("authorization", "Bearer none")
            .timeout(EVENT_WITHIN)
            .POST(BodyPublishers.ofString(body()))
            .build();
    return reading -> {
      HttpResponse<InputStream> response = client.send(request, BodyHandlers.ofInputStream());
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
        if (response.statusCode() != 200) {
          throw new IOException("status " + response.statusCode() + ": " + lines.readLine());
        }
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (line.startsWith(DATA)) {
            Stamps.each(line, reading::arrived);
          }
        }
      }
    };
  }

  /** Through the topics, with the SDK. */
  static Contestant.Way topics(SluiceClient client) {
    InferenceRequest request =
        InferenceRequest.chat(PacedEngine.MODEL, List.of(Message.user(PROMPT))).build();
    return reading -> {
      ReplyStream stream = client.submit(request);
      for (Optional<ReplyEvent> event = stream.next(EVENT_WITHIN);
          event.isPresent();
          event = stream.next(EVENT_WITHIN)) {
        if (event.get() instanceof ReplyEvent.Tokens tokens) {
          Stamps.text(tokens.text(), reading::arrived);
        }
      }
    };
  }

  private static String body() {
    return """
        {"model":"%s","stream":true,"messages":[{"role":"user","content":"%s"}]}"""
        .formatted(PacedEngine.MODEL, PROMPT);
  }
}
