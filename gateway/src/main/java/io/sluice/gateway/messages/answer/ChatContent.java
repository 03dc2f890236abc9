package io.sluice.gateway.messages.answer;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.openai.Reasoning;

/**
 * What a message of a chat answer contains, or a part of it in a stream.
 *
 * @param text what the model says or, if {@code isRefusal}, why it says nothing
 * @param calls the array of tool calls; empty or of another type if there are none
 */
record ChatContent(String reasoning, String text, boolean isRefusal, JsonNode calls) {

  /** Reads a message or a delta. */
  static ChatContent of(JsonNode message) {
    String refusal = text(message, "refusal");
    return new ChatContent(
        Reasoning.of(message),
        text(message, "content") + refusal,
        !refusal.isEmpty(),
        message.path("tool_calls"));
  }

  private static String text(JsonNode message, String name) {
    return message.path(name).isTextual() ? message.path(name).textValue() : "";
  }
}
