package io.sluice.bench.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** Reads a log by the Durable Streams protocol; continues at an offset. */
public final class LogCursor implements AnswerCursor {
  /** How the reader waits for what does not exist yet. */
  public enum Live {
    NO(""),
    LONG_POLL("&live=long-poll"),
    SSE("&live=sse");

    private final String parameter;

    Live(String parameter) {
      this.parameter = parameter;
    }
  }

  private final String requestId;
  private final Live live;
  private final CursorState state = new CursorState();
  private String offset = "-1";

  public LogCursor(String requestId, Live live) {
    this.requestId = requestId;
    this.live = live;
  }

  @Override
  public String path() {
    return "/v1/requests/%s/log?offset=%s%s".formatted(requestId, offset, live.parameter);
  }

  @Override
  public void read(HttpResponse<InputStream> response) throws IOException {
    if (live == Live.SSE) {
      events(response);
      return;
    }
    try (InputStream body = response.body()) {
      String messages = new String(body.readAllBytes(), StandardCharsets.UTF_8);
      String next = response.headers().firstValue("stream-next-offset").orElse("");
      if (next.isEmpty()) {
        state.problem("a response without stream-next-offset");
        return;
      }
      take(messages, next, response.headers().firstValue("stream-closed").isPresent());
    }
  }

  /** The data of an event counts only with the control event after it, as the protocol has it. */
  private void events(HttpResponse<InputStream> response) throws IOException {
    try (var events = new SseBody(response.body(), PersistentReader.SILENCE)) {
      String messages = "";
      for (var event = events.next(); event.isPresent(); event = events.next()) {
        if (event.get().name().equals("data")) {
          messages = event.get().data();
        } else if (event.get().name().equals("control")) {
          JsonNode control = Json.mapper().readTree(event.get().data());
          take(
              messages,
              control.path("streamNextOffset").asText(),
              control.path("streamClosed").asBoolean());
          messages = "";
        }
      }
    }
  }

  private void take(String messages, String next, boolean isClosed) throws IOException {
    if (!messages.isBlank()) {
      for (JsonNode message : Json.mapper().readTree(messages)) {
        state.item(message.toString());
        take(message);
      }
    }
    offset = next;
    state.over(isClosed);
  }

  private void take(JsonNode message) {
    if (message.path("type").asText().equals("restarted")) {
      state.text().replace("");
    } else if (message.has("error")) {
      state.text().failed(message.at("/error/code").asText());
    } else {
      state.text().chunk(message);
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
