package io.sluice.bench.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.Set;

/** Reads the events of a response; continues after a sequence number. */
public final class ResponseCursor implements AnswerCursor {
  private static final Set<String> ENDS =
      Set.of("response.completed", "response.incomplete", "response.failed");

  private final CursorState state = new CursorState();
  private Optional<String> id;
  private int last = -1;

  private ResponseCursor(Optional<String> id) {
    this.id = id;
  }

  /** Reads the response with an id from its first event. */
  public static ResponseCursor of(String id) {
    return new ResponseCursor(Optional.of(id));
  }

  /** Reads a response that is about to be created; its first event tells the id. */
  public static ResponseCursor created() {
    return new ResponseCursor(Optional.empty());
  }

  /** Returns the response's id; empty before the first event. */
  public Optional<String> id() {
    return id;
  }

  @Override
  public String path() {
    return "/v1/responses/%s?stream=true&starting_after=%s".formatted(id.orElseThrow(), last);
  }

  @Override
  public void read(HttpResponse<InputStream> response) throws IOException {
    state.events(response, this::take, () -> "event " + last);
  }

  /** Returns whether the stream may end after an event. */
  private boolean take(SseEvent event) throws IOException {
    JsonNode json = Json.mapper().readTree(event.data());
    if (event.name().equals("error") || (event.name().isEmpty() && json.has("error"))) {
      // Not part of the response: the gateway could not read on.
      return true;
    }
    int number = json.path("sequence_number").asInt(-1);
    if (number != last + 1) {
      state.problem("event %d came after event %d".formatted(number, last));
    }
    last = number;
    state.item(event.text());
    if (id.isEmpty()) {
      id = Optional.of(json.at("/response/id").asText());
    }
    if (ENDS.contains(event.name())) {
      ended(json.path("response"));
    }
    return state.isOver();
  }

  private void ended(JsonNode response) {
    state.over(true);
    StringBuilder whole = new StringBuilder();
    for (JsonNode item : response.path("output")) {
      item.path("content").forEach(part -> whole.append(part.path("text").asText("")));
    }
    state.text().replace(whole.toString());
    if (response.path("status").asText().equals("failed")
        || response.path("status").asText().equals("cancelled")) {
      state.text().failed(response.at("/error/code").asText(response.path("status").asText()));
    }
  }

  /** Its record is durable before its id is told. */
  @Override
  public boolean mayBeUnknown() {
    return false;
  }

  @Override
  public CursorState state() {
    return state;
  }
}
