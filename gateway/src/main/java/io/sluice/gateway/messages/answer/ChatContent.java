package io.sluice.gateway.messages.answer;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.openai.Reasoning;
import io.sluice.common.protocol.Json;

/**
 * What a message of a chat answer contains, or a part of it in a stream.
 *
 * @param text what the model says or, if {@code isRefusal}, why it says nothing
 * @param calls the array of tool calls; empty or of another type if there are none
 */
record ChatContent(String reasoning, String text, boolean isRefusal, JsonNode calls) {

  /** Reads a message or a delta. */
  static ChatContent of(JsonNode message) {
    String refusal = Json.textValue(message.path("refusal"));
    return new ChatContent(
        Reasoning.of(message),
        Json.textValue(message.path("content")) + refusal,
        !refusal.isEmpty(),
        message.path("tool_calls"));
  }
}
