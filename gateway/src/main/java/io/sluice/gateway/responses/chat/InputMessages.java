package io.sluice.gateway.responses.chat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import org.jspecify.annotations.Nullable;

/**
 * Translates input items into chat messages. The output of a response consists of input items too,
 * so a conversation is continued by the same translation. Not thread-safe.
 */
public final class InputMessages {
  private static final String CONTENT = "content";
  private static final String CALLS = "tool_calls";

  private final ArrayNode messages = Json.mapper().createArrayNode();

  /** The message that further function calls join. */
  private @Nullable ObjectNode assistant;

  private InputMessages() {}

  /**
   * Returns the messages of an input.
   *
   * @param input a text, or a list of items
   * @param path of the input, for error messages
   * @throws InvalidFieldException if an item cannot be given to a model of the pool
   */
  public static ArrayNode of(JsonNode input, String path) {
    InputMessages result = new InputMessages();
    if (input.isTextual()) {
      result.add("user", input);
    } else if (input.isArray()) {
      for (int i = 0; i < input.size(); i++) {
        result.item(input.get(i), path + "[" + i + "]");
      }
    } else {
      throw new InvalidFieldException(path, "must be a text or a list of items");
    }
    return result.messages;
  }

  private void item(JsonNode item, String path) {
    String type = item.path("type").asText("message");
    switch (type) {
      case "message" -> message(item, path);
      case "function_call" -> call(item, path);
      case "function_call_output" -> callOutput(item, path);
      // A model of the pool takes no reasoning back.
      case "reasoning" -> {}
      default ->
          throw new InvalidFieldException(
              path + ".type",
              "must be message, function_call, function_call_output or reasoning, not '"
                  + type
                  + "'");
    }
  }

  private void message(JsonNode item, String path) {
    String role = Fields.text(item, "role", path);
    JsonNode content = ContentParts.of(item.path(CONTENT), path + "." + CONTENT);
    switch (role) {
      case "assistant" -> assistant = add(role, content);
      case "user", "system" -> add(role, content);
      // Chat templates of open models know no developer.
      case "developer" -> add("system", content);
      default ->
          throw new InvalidFieldException(
              path + ".role", "must be user, assistant, system or developer, not '" + role + "'");
    }
  }

  private void call(JsonNode item, String path) {
    ObjectNode message = assistant;
    if (message == null) {
      message = add("assistant", Json.mapper().nullNode());
      assistant = message;
    }
    ObjectNode call =
        message.withArray(CALLS).addObject().put("id", Fields.text(item, "call_id", path));
    call.put("type", "function");
    call.putObject("function")
        .put("name", Fields.text(item, "name", path))
        .put("arguments", Fields.text(item, "arguments", path));
  }

  private void callOutput(JsonNode item, String path) {
    JsonNode output = ContentParts.of(item.path("output"), path + ".output");
    add("tool", output).put("tool_call_id", Fields.text(item, "call_id", path));
  }

  private ObjectNode add(String role, JsonNode content) {
    assistant = null;
    ObjectNode message = messages.addObject().put("role", role);
    message.set(CONTENT, content);
    return message;
  }
}
