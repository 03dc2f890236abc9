package io.sluice.gateway.responses.chat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.util.List;

/** Translates the tools of a request and the choice among them. */
final class ToolFields {
  private static final List<String> OF_FUNCTIONS =
      List.of("name", "description", "parameters", "strict");

  private ToolFields() {}

  /**
   * Returns the tools of a chat request.
   *
   * @throws InvalidFieldException if a tool is not a function
   */
  static ArrayNode tools(JsonNode tools) {
    if (!tools.isArray()) {
      throw new InvalidFieldException("tools", "must be a list");
    }
    ArrayNode result = Json.mapper().createArrayNode();
    for (int i = 0; i < tools.size(); i++) {
      JsonNode tool = tools.get(i);
      String path = "tools[" + i + "]";
      requireFunction(tool, path);
      Fields.text(tool, "name", path);
      ObjectNode function = result.addObject().put("type", "function").putObject("function");
      for (String name : OF_FUNCTIONS) {
        if (Fields.isSet(tool, name)) {
          function.set(name, tool.get(name));
        }
      }
    }
    return result;
  }

  /**
   * Returns the choice among the tools of a chat request.
   *
   * @throws InvalidFieldException if it is not one that a model of the pool knows
   */
  static JsonNode choice(JsonNode choice) {
    if (choice.isTextual()) {
      return choice;
    }
    requireFunction(choice, "tool_choice");
    ObjectNode result = Json.mapper().createObjectNode().put("type", "function");
    result.putObject("function").put("name", Fields.text(choice, "name", "tool_choice"));
    return result;
  }

  private static void requireFunction(JsonNode tool, String path) {
    String type = tool.path("type").asText("");
    if (!type.equals("function")) {
      throw new InvalidFieldException(
          path + ".type", "must be function: the pool has no tool '" + type + "' of its own");
    }
  }
}
