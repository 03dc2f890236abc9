package io.sluice.bench.torture.clients;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.gateway.ClientText;
import io.sluice.bench.gateway.SseBody;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Reads the stream of a chat, which no client can continue. Used by one thread. */
final class Chat {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** A client that leaves a frozen gateway would cancel its request. */
  private static final Duration SILENCE = Duration.ofSeconds(40);

  private final ClientText text = new ClientText();
  private final List<String> problems = new ArrayList<>();
  private boolean isOver;

  /**
   * Reads to the end of the answer or the first error.
   *
   * @throws IOException if the connection breaks
   */
  void read(HttpResponse<InputStream> response) throws IOException {
    try (var events = new SseBody(response.body(), SILENCE)) {
      boolean isError = false;
      for (var event = events.next(); event.isPresent(); event = events.next()) {
        if (event.get().data().equals("[DONE]")) {
          isOver = true;
          continue;
        }
        JsonNode json = JSON.readTree(event.get().data());
        isError |= json.has("error");
        text.chunk(json);
      }
      if (!isOver && !isError) {
        problems.add("the chat's stream ended without [DONE] and without an error");
      }
    }
  }

  ClientText text() {
    return text;
  }

  boolean isOver() {
    return isOver;
  }

  List<String> problems() {
    return List.copyOf(problems);
  }
}
