package io.sluice.gateway.messages.chat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Translates the tools of a request, and which of them the model is to call. */
final class ToolFields {
  private ToolFields() {}

  /** Adds both to a chat request. Engines refuse a choice among no tools. */
  static void translate(Field request, ObjectNode chat) {
    Field tools = request.at("tools");
    if (tools.isSet() && !tools.elements().isEmpty()) {
      ArrayNode functions = chat.putArray("tools");
      tools.elements().forEach(tool -> addFunction(tool, functions));
      if (request.at("tool_choice").isSet()) {
        choose(request.at("tool_choice"), chat);
      }
    }
  }

  private static void addFunction(Field tool, ArrayNode functions) {
    Field type = tool.at("type");
    if (type.isSet() && !type.text().equals("custom")) {
      throw type.wrong("must be custom: the pool runs no tools itself");
    }
    ObjectNode function = functions.addObject().put("type", "function").putObject("function");
    function.put("name", tool.at("name").text());
    if (tool.at("description").isSet()) {
      function.put("description", tool.at("description").text());
    }
    function.set("parameters", tool.at("input_schema").object());
  }

  private static void choose(Field choice, ObjectNode chat) {
    switch (choice.at("type").text()) {
      case "auto" -> chat.put("tool_choice", "auto");
      case "any" -> chat.put("tool_choice", "required");
      case "none" -> chat.put("tool_choice", "none");
      case "tool" ->
          chat.putObject("tool_choice")
              .put("type", "function")
              .putObject("function")
              .put("name", choice.at("name").text());
      default -> throw choice.at("type").wrong("must be auto, any, tool or none");
    }
    if (choice.at("disable_parallel_tool_use").isTrue()) {
      chat.put("parallel_tool_calls", false);
    }
  }
}
