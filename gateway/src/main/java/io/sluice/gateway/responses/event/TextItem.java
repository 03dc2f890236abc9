package io.sluice.gateway.responses.event;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** A message or the reasoning before it. Not thread-safe. */
final class TextItem implements OutputItem {
  private final ItemState state;
  private final boolean isMessage;
  private final List<TextPart> parts = new ArrayList<>();

  private TextItem(ItemState state, boolean isMessage, EventSequence events) {
    this.state = state;
    this.isMessage = isMessage;
    state.whole("response.output_item.added", toJson(), events);
  }

  static TextItem message(String requestId, int index, EventSequence events) {
    var state = new ItemState("msg_" + requestId + "_" + index, index, "message");
    return new TextItem(state, true, events);
  }

  static TextItem reasoning(String requestId, int index, EventSequence events) {
    var state = new ItemState("rs_" + requestId + "_" + index, index, "reasoning");
    return new TextItem(state, false, events);
  }

  boolean isMessage() {
    return isMessage;
  }

  /** Appends text to the last part, or to a new one if that is of another kind. */
  void append(TextPart.Kind kind, String text, JsonNode logprobs, EventSequence events) {
    if (parts.isEmpty() || parts.getLast().kind() != kind) {
      parts.forEach(part -> part.close(events));
      parts.add(new TextPart(state, parts.size(), kind, events));
    }
    parts.getLast().append(text, logprobs, events);
  }

  @Override
  public ObjectNode toJson() {
    ObjectNode json = state.toJson();
    if (isMessage) {
      json.put("role", "assistant");
    } else {
      json.putArray("summary");
    }
    ArrayNode content = json.putArray("content");
    parts.forEach(part -> content.add(part.toJson()));
    return json;
  }

  @Override
  public void close(String status, EventSequence events) {
    if (state.isOpen()) {
      parts.forEach(part -> part.close(events));
      state.end(status);
      state.whole("response.output_item.done", toJson(), events);
    }
  }
}
