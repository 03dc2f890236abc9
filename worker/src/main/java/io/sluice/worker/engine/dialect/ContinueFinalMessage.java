package io.sluice.worker.engine.dialect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Continues a message by {@code continue_final_message}, as vLLM and SGLang do: the text becomes
 * the beginning of the assistant's message, or follows what the caller began it with.
 */
final class ContinueFinalMessage implements MessageContinuation {
  private static final String FIELD = "continue_final_message";

  @Override
  public boolean fits(JsonNode body) {
    return !body.path(FIELD).asBoolean(false)
        || last(body.path("messages")).path("content").isTextual();
  }

  @Override
  public void apply(ObjectNode body, String text) {
    ArrayNode messages = body.withArray("/messages");
    boolean isBegun = body.path(FIELD).asBoolean(false);
    if (isBegun && last(messages) instanceof ObjectNode message) {
      message.put("content", message.path("content").asText("") + text);
    } else {
      messages.addObject().put("role", "assistant").put("content", text);
    }
    body.put(FIELD, true).put("add_generation_prompt", false);
  }

  private static JsonNode last(JsonNode messages) {
    return messages.path(messages.size() - 1);
  }
}
