package io.sluice.gateway.messages.answer;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.Reasoning;
import io.sluice.common.protocol.Json;

/**
 * What a message of a chat answer contains, or a part of it in a stream.
 *
 * @param text what the model says or, if {@code isRefusal}, why it says nothing
 * @param calls the array of tool calls; empty or of another type if there are none
 */
record ChatContent(String reasoning, String text, boolean isRefusal, JsonNode calls) {

  /** Reads the message or the delta of a choice. */
  static ChatContent of(Choice choice) {
    JsonNode message = choice.message();
    String refusal = Json.textValue(message.path("refusal"));
    return new ChatContent(
        Reasoning.of(message),
        choice.text() + refusal,
        !refusal.isEmpty(),
        message.path("tool_calls"));
  }
}
