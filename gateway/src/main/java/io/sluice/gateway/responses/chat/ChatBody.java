package io.sluice.gateway.responses.chat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.StreamUsage;
import io.sluice.common.protocol.Json;
import java.util.List;

/**
 * Translates the body of {@code POST /v1/responses} into that of a chat request. The result depends
 * on nothing else, so that a request that is sent again is the same.
 */
public final class ChatBody {
  /** What both APIs call by the same name. */
  private static final List<String> SAME =
      List.of(
          "temperature",
          "top_p",
          "top_logprobs",
          "parallel_tool_calls",
          "metadata",
          "user",
          "service_tier",
          "prompt_cache_key");

  /** What would change the answer, and has no counterpart in a pool. */
  private static final List<String> UNSUPPORTED = List.of("conversation", "prompt");

  private static final String LOGPROBS = "message.output_text.logprobs";

  private ChatBody() {}

  /**
   * Translates a request.
   *
   * @param request the body of the request
   * @param earlier the chat messages of the conversation before its input
   * @throws InvalidFieldException if a field is wrong or cannot be translated
   */
  public static ObjectNode of(JsonNode request, ArrayNode earlier) {
    requireSupported(request);
    ObjectNode chat = Json.mapper().createObjectNode();
    chat.put("model", Fields.text(request, "model", ""));
    messages(request, earlier, chat.putArray("messages"));
    SAME.stream()
        .filter(name -> Fields.isSet(request, name))
        .forEach(name -> chat.set(name, request.get(name)));
    limit(request, chat);
    reasoning(request, chat);
    tools(request, chat);
    format(request.path("text").path("format"), chat);
    logprobs(request, chat);
    return chat;
  }

  /**
   * Translates a request whose answer is wanted as it is made.
   *
   * @see #of
   */
  public static ObjectNode streamed(JsonNode request, ArrayNode earlier) {
    ObjectNode chat = of(request, earlier);
    StreamUsage.askFor(chat);
    return chat;
  }

  /** Returns the messages with which the next response of the conversation begins. */
  public static ArrayNode conversation(JsonNode request, ArrayNode earlier, ArrayNode output) {
    ArrayNode messages = earlier.deepCopy();
    messages.addAll(InputMessages.of(request.path("input"), "input"));
    messages.addAll(InputMessages.of(output, "output"));
    return messages;
  }

  private static void requireSupported(JsonNode request) {
    for (String name : UNSUPPORTED) {
      if (Fields.isSet(request, name)) {
        throw new InvalidFieldException(name, "is not supported");
      }
    }
    if (request.path("background").asBoolean(false) && !request.path("store").asBoolean(true)) {
      throw new InvalidFieldException("store", "must be true for a background response");
    }
  }

  private static void messages(JsonNode request, ArrayNode earlier, ArrayNode messages) {
    JsonNode instructions = request.path("instructions");
    if (instructions.isTextual()) {
      messages.addObject().put("role", "system").put("content", instructions.textValue());
    } else if (Fields.isSet(request, "instructions")) {
      messages.addAll(InputMessages.of(instructions, "instructions"));
    }
    messages.addAll(earlier);
    messages.addAll(InputMessages.of(request.path("input"), "input"));
  }

  private static void limit(JsonNode request, ObjectNode chat) {
    if (Fields.isSet(request, "max_output_tokens")) {
      chat.set("max_completion_tokens", request.get("max_output_tokens"));
    }
    switch (request.path("truncation").asText("disabled")) {
      case "disabled" -> {}
      case "auto" -> chat.put("truncate_prompt_tokens", -1);
      default -> throw new InvalidFieldException("truncation", "must be auto or disabled");
    }
  }

  private static void reasoning(JsonNode request, ObjectNode chat) {
    JsonNode effort = request.path("reasoning").path("effort");
    if (effort.isTextual()) {
      chat.set("reasoning_effort", effort);
    }
  }

  private static void tools(JsonNode request, ObjectNode chat) {
    boolean hasTools = Fields.isSet(request, "tools") && !request.path("tools").isEmpty();
    if (hasTools) {
      chat.set("tools", ToolFields.tools(request.path("tools")));
    }
    // Engines refuse a choice among no tools.
    if (hasTools && Fields.isSet(request, "tool_choice")) {
      chat.set("tool_choice", ToolFields.choice(request.path("tool_choice")));
    }
    if (!hasTools) {
      chat.remove("parallel_tool_calls");
    }
  }

  private static void format(JsonNode format, ObjectNode chat) {
    String type = format.path("type").asText("text");
    switch (type) {
      case "text" -> {}
      case "json_object" -> chat.putObject("response_format").put("type", type);
      case "json_schema" -> {
        ObjectNode schema = format.deepCopy();
        schema.remove("type");
        chat.putObject("response_format").put("type", type).set(type, schema);
      }
      default ->
          throw new InvalidFieldException(
              "text.format.type", "must be text, json_object or json_schema, not '" + type + "'");
    }
  }

  private static void logprobs(JsonNode request, ObjectNode chat) {
    for (JsonNode included : request.path("include")) {
      if (included.asText().equals(LOGPROBS)) {
        chat.put("logprobs", true);
      }
    }
    if (chat.has("top_logprobs")) {
      chat.put("logprobs", true);
    }
  }
}
