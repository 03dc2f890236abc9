package io.sluice.gateway.messages.answer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.ToolCall;
import io.sluice.common.protocol.Json;

/** Creates the blocks of a message's content. */
final class ContentBlock {
  private ContentBlock() {}

  static ObjectNode text(String text) {
    return typed("text").put("text", text);
  }

  /**
   * Creates a block of reasoning.
   *
   * @param signature proves to Anthropic's own servers that they made the text
   */
  static ObjectNode thinking(String text, String signature) {
    return typed("thinking").put("thinking", text).put("signature", signature);
  }

  /**
   * Creates a call of a tool.
   *
   * @param call of a chat answer
   * @param otherwise the id of a call that has none
   */
  static ObjectNode call(ToolCall call, String otherwise, ObjectNode input) {
    ObjectNode block = typed("tool_use");
    block.put("id", call.id().orElse(otherwise));
    block.put("name", call.name());
    block.set("input", input);
    return block;
  }

  /** Returns the arguments of a call; text that is not an object is kept under a telling name. */
  static ObjectNode input(String arguments) {
    ObjectNode none = Json.mapper().createObjectNode();
    if (arguments.isBlank()) {
      return none;
    }
    try {
      if (Json.mapper().readTree(arguments) instanceof ObjectNode object) {
        return object;
      }
    } catch (JsonProcessingException e) {
      // The model was cut off, or made a mistake.
    }
    return none.put("INVALID_JSON", arguments);
  }

  private static ObjectNode typed(String type) {
    return Json.mapper().createObjectNode().put("type", type);
  }
}
