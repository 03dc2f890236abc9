package io.sluice.bench.load;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.gateway.SseBody;
import io.sluice.bench.gateway.SseEvent;
import io.sluice.common.openai.Choice;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** A server of OpenAI's API, or several that get requests in turn. Thread-safe. */
final class Server implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String CHAT = "/v1/chat/completions";
  private static final String END = "[DONE]";

  private final String name;
  private final Gateways servers;
  private final String model;
  private final Map<String, String> headers;
  private final AtomicInteger next = new AtomicInteger();

  /**
   * Creates the client.
   *
   * @param uris of the servers, without {@code /v1}
   * @param model that is asked for
   * @param headers of each request
   */
  Server(String name, List<URI> uris, String model, Map<String, String> headers) {
    this.name = name;
    this.servers = new Gateways(uris);
    this.model = model;
    this.headers = Map.copyOf(headers);
  }

  String name() {
    return name;
  }

  /**
   * Sends a request and reads its answer to the end.
   *
   * @param dueNanos when it was due, by {@link System#nanoTime}
   */
  Outcome call(Plan.Planned request, long dueNanos) throws InterruptedException {
    int status = 0;
    try {
      int turn = Math.floorMod(next.getAndIncrement(), servers.count());
      HttpResponse<InputStream> response =
          servers.post(turn, CHAT, headers, body(request), PATIENCE);
      status = response.statusCode();
      try (var events = new SseBody(response.body(), PATIENCE)) {
        return read(status, events, dueNanos);
      }
    } catch (IOException e) {
      return Outcome.failed(status);
    }
  }

  private static Outcome read(int status, SseBody events, long dueNanos) throws IOException {
    double first = Double.NaN;
    double last = 0;
    long tokens = 0;
    boolean isWhole = false;
    for (Optional<SseEvent> event = events.next(); event.isPresent(); event = events.next()) {
      double now = (System.nanoTime() - dueNanos) / 1e6;
      if (event.get().data().equals(END)) {
        isWhole = true;
        continue;
      }
      JsonNode chunk = Json.tree(event.get().data().getBytes(StandardCharsets.UTF_8));
      // Reasoning models begin with their reasoning.
      if (!Choice.firstOfChunk(chunk).allText().isEmpty()) {
        first = Double.isNaN(first) ? now : first;
        last = now;
      }
      tokens = chunk.at("/usage/completion_tokens").asLong(tokens);
    }
    if (!isWhole || Double.isNaN(first)) {
      return Outcome.failed(status);
    }
    return new Outcome(status, true, first, tokens > 1 ? (last - first) / (tokens - 1) : 0, tokens);
  }

  private String body(Plan.Planned request) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("model", model);
    body.put("messages", List.of(Map.of("role", "user", "content", request.prompt())));
    body.put("max_tokens", request.outputTokens());
    body.put("ignore_eos", true);
    body.put("stream", true);
    body.put("stream_options", Map.of("include_usage", true));
    return Json.text(body);
  }

  @Override
  public void close() {
    servers.close();
  }
}
