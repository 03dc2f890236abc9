package io.sluice.bench.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.function.Consumer;

/** Reads the events of a chat stream again; continues after {@code Last-Event-ID}. */
public final class StreamCursor implements AnswerCursor {
  private final String requestId;
  private final Consumer<String> onText;
  private final CursorState state = new CursorState();
  private String lastId = "";

  public StreamCursor(String requestId) {
    this(requestId, text -> {});
  }

  /**
   * A cursor at the beginning of an answer.
   *
   * @param onText gets the text so far after each chunk
   */
  public StreamCursor(String requestId, Consumer<String> onText) {
    this.requestId = requestId;
    this.onText = onText;
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
      state.problem("status 204 before the end was read");
      state.over(true);
      return;
    }
    state.events(response, this::take, () -> lastId);
  }

  /** Returns whether the stream may end after an event. */
  private boolean take(SseEvent event) throws IOException {
    if (event.id().isEmpty()) {
      if (!event.data().contains("\"error\"")) {
        state.problem("an event has no id: " + event.data());
      }
      return true;
    }
    lastId = event.id();
    state.item(event.text());
    if (event.data().equals("[DONE]")) {
      state.over(true);
    } else if (event.name().equals("restarted")) {
      state.text().replace("");
    } else {
      chunk(Json.mapper().readTree(event.data()));
    }
    return state.isOver();
  }

  private void chunk(JsonNode json) {
    if (json.has("error")) {
      state.text().failed(json.at("/error/code").asText());
      state.over(true);
    } else {
      state.text().chunk(json);
      onText.accept(state.text().text());
    }
  }

  @Override
  public boolean mayBeUnknown() {
    return state.items().isEmpty();
  }

  @Override
  public CursorState state() {
    return state;
  }
}
