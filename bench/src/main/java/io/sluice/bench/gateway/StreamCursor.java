package io.sluice.bench.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Reads the events of a chat stream again; continues after {@code Last-Event-ID}. */
public final class StreamCursor implements AnswerCursor {
  private final String requestId;
  private final List<String> items = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private final ClientText text = new ClientText();
  private String lastId = "";
  private boolean isOver;

  public StreamCursor(String requestId) {
    this.requestId = requestId;
  }

  @Override
  public String path() {
    return "/v1/requests/" + requestId + "/stream";
  }

  @Override
  public Map<String, String> headers() {
    return lastId.isEmpty() ? Map.of() : Map.of("last-event-id", lastId);
  }

  @Override
  public void read(HttpResponse<InputStream> response) throws IOException {
    if (response.statusCode() == 204) {
      problems.add("status 204 before the end was read");
      isOver = true;
      return;
    }
    try (var events = new SseBody(response.body(), PersistentReader.SILENCE)) {
      boolean mayEnd = false;
      for (var event = events.next(); event.isPresent(); event = events.next()) {
        mayEnd = take(event.get());
      }
      if (!mayEnd) {
        problems.add("the stream ended after %s without an end or an error".formatted(lastId));
      }
    }
  }

  /** Returns whether the stream may end after an event. */
  private boolean take(SseEvent event) throws IOException {
    if (event.id().isEmpty()) {
      if (!event.data().contains("\"error\"")) {
        problems.add("an event has no id: " + event.data());
      }
      return true;
    }
    lastId = event.id();
    items.add(event.text());
    if (event.data().equals("[DONE]")) {
      isOver = true;
    } else if (event.name().equals("restarted")) {
      text.replace("");
    } else {
      chunk(Json.parse(event.data()));
    }
    return isOver;
  }

  private void chunk(JsonNode json) {
    if (json.has("error")) {
      text.failed(json.at("/error/code").asText());
      isOver = true;
    } else {
      text.chunk(json);
    }
  }

  @Override
  public boolean isOver() {
    return isOver;
  }

  @Override
  public boolean mayBeUnknown() {
    return items.isEmpty();
  }

  @Override
  public List<String> items() {
    return Collections.unmodifiableList(items);
  }

  @Override
  public ClientText text() {
    return text;
  }

  @Override
  public List<String> problems() {
    return List.copyOf(problems);
  }
}
