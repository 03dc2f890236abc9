package io.sluice.gateway.messages.answer;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Json;

/**
 * What is known of a message before its content.
 *
 * @param model the model that answers
 */
record MessageHead(String requestId, String model) {

  /** Returns the message without content and without an end. */
  ObjectNode toJson(Usage usage) {
    ObjectNode message = Json.mapper().createObjectNode();
    message.put("id", "msg_" + requestId).put("type", "message").put("role", "assistant");
    message.put("model", model).putArray("content");
    message.putNull("stop_reason").putNull("stop_sequence");
    message.set("usage", usage(usage));
    return message;
  }

  /** Returns Anthropic's usage, whose input excludes what came from the cache. */
  static ObjectNode usage(Usage usage) {
    int cached = usage.cachedTokens().orElse(0);
    return Json.mapper()
        .createObjectNode()
        .put("input_tokens", Math.max(0, usage.promptTokens() - cached))
        .put("cache_creation_input_tokens", 0)
        .put("cache_read_input_tokens", cached)
        .put("output_tokens", usage.completionTokens());
  }
}
