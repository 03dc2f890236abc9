package io.sluice.gateway.messages.chat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.util.ArrayList;
import java.util.List;

/** Translates the messages of a request. Not thread-safe. */
final class ChatMessages {
  private static final String CONTENT = "content";

  /**
   * Coding tools begin their system prompt with a block of this kind. It differs from request to
   * request, so engines could not reuse the prompt behind it.
   */
  private static final String BILLING = "x-anthropic-billing-header";

  private final List<String> system = new ArrayList<>();
  private final ArrayNode messages = Json.mapper().createArrayNode();

  private ChatMessages() {}

  /** Returns the messages of a request, the system prompt first. */
  static ArrayNode of(Field request) {
    ChatMessages result = new ChatMessages();
    if (request.at("system").isSet()) {
      result.addSystem(request.at("system"));
    }
    List<Field> messages = request.at("messages").elements();
    if (messages.isEmpty()) {
      throw request.at("messages").wrong("must not be empty");
    }
    messages.forEach(result::add);
    return result.whole();
  }

  private void add(Field message) {
    Field content = message.at(CONTENT);
    switch (message.at("role").text()) {
      case "user" -> addUser(content);
      case "assistant" -> addAssistant(content);
      case "system" -> addSystem(content);
      default -> throw message.at("role").wrong("must be user, assistant or system");
    }
  }

  /** Chat templates take one system prompt, at the beginning. */
  private ArrayNode whole() {
    if (!system.isEmpty()) {
      ObjectNode first = messages.insertObject(0).put("role", "system");
      first.put(CONTENT, String.join("\n", system));
    }
    return messages;
  }

  private void addSystem(Field content) {
    if (content.isText()) {
      system.add(content.text());
      return;
    }
    content.elements().stream()
        .map(block -> block.at("text").text())
        .filter(text -> !text.startsWith(BILLING))
        .forEach(system::add);
  }

  /** The results of tools come first, since a chat has them right after the calls. */
  private void addUser(Field content) {
    if (content.isText()) {
      messages.add(message("user", content.value()));
      return;
    }
    ContentParts parts = new ContentParts();
    int before = messages.size();
    for (Field block : content.elements()) {
      switch (block.at("type").text()) {
        case "text" -> parts.addText(block);
        case "image" -> parts.addImage(block);
        case "tool_result" -> addResult(block, parts);
        default -> throw block.at("type").wrong("must be text, image or tool_result");
      }
    }
    if (!parts.isEmpty() || messages.size() == before) {
      messages.add(message("user", parts.content()));
    }
  }

  /**
   * Adds the result of a tool.
   *
   * @param parts get its images, because a chat takes these from users only
   */
  private void addResult(Field block, ContentParts parts) {
    List<String> texts = new ArrayList<>();
    Field content = block.at(CONTENT);
    if (content.isText()) {
      texts.add(content.text());
    } else if (content.isSet()) {
      for (Field part : content.elements()) {
        switch (part.at("type").text()) {
          case "text" -> texts.add(part.at("text").text());
          case "image" -> parts.addImage(part);
          default -> throw part.at("type").wrong("must be text or image");
        }
      }
    }
    String text = String.join("\n", texts);
    messages
        .addObject()
        .put("role", "tool")
        .put("tool_call_id", block.at("tool_use_id").text())
        .put(CONTENT, block.at("is_error").isTrue() ? "Error: " + text : text);
  }

  private void addAssistant(Field content) {
    if (content.isText()) {
      messages.add(message("assistant", content.value()));
      return;
    }
    ContentParts parts = new ContentParts();
    StringBuilder reasoning = new StringBuilder();
    ArrayNode calls = Json.mapper().createArrayNode();
    for (Field block : content.elements()) {
      switch (block.at("type").text()) {
        case "text" -> parts.addText(block);
        case "thinking" -> reasoning.append(block.at("thinking").text());
        case "redacted_thinking" -> {} // Only who encrypted it can read it.
        case "tool_use" -> calls.add(call(block));
        default ->
            throw block.at("type").wrong("must be text, thinking, redacted_thinking or tool_use");
      }
    }
    ObjectNode message = message("assistant", parts.content());
    if (!reasoning.isEmpty()) {
      message.put("reasoning", reasoning.toString());
    }
    if (!calls.isEmpty()) {
      message.set("tool_calls", calls);
      if (parts.isEmpty()) {
        message.putNull(CONTENT);
      }
    }
    messages.add(message);
  }

  private static ObjectNode call(Field block) {
    ObjectNode call =
        Json.mapper().createObjectNode().put("id", block.at("id").text()).put("type", "function");
    call.putObject("function")
        .put("name", block.at("name").text())
        .put("arguments", Json.text(block.at("input").object()));
    return call;
  }

  private static ObjectNode message(String role, JsonNode content) {
    ObjectNode message = Json.mapper().createObjectNode().put("role", role);
    message.set(CONTENT, content);
    return message;
  }
}
