package io.sluice.simulator.openai.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.simulator.text.ChatMessage;
import io.sluice.simulator.text.ChatTemplate;
import java.util.ArrayList;
import java.util.List;

/**
 * The messages of a chat request.
 *
 * @param messages the messages, at least one
 * @param ending what follows the last message in the prompt
 */
record Conversation(List<ChatMessage> messages, ChatTemplate.Ending ending) {

  static Conversation of(Fields body) {
    if (body.has("chat_template")) {
      throw ApiError.badRequest(
          "Chat template is passed with request, but --trust-request-chat-template is not set. Refused request with untrusted chat template.");
    }
    if (body.object().has("messages") && !body.has("messages")) {
      throw ApiError.badRequest("'NoneType' object is not iterable");
    }
    List<ChatMessage> messages = new ArrayList<>();
    for (JsonNode node : body.list("messages")) {
      if (!node.isObject()) {
        throw ApiError.validation(
            Violation.of(
                "dict_type",
                "body.messages." + messages.size(),
                "Input should be a valid dictionary",
                node));
      }
      Fields message = new Fields(node, "body.messages." + messages.size());
      String role = message.string("role").orElseThrow(() -> message.missing("role"));
      messages.add(new ChatMessage(role, content(node) + calls(node)));
    }
    if (messages.isEmpty()) {
      throw ApiError.badRequest(
          "Cannot apply chat template to an empty conversation. Provide at least one message.");
    }
    return new Conversation(messages, ending(body));
  }

  ChatMessage last() {
    return messages.getLast();
  }

  /** Returns the last message of the user. A partial answer after it does not change that. */
  String asked() {
    return messages.reversed().stream()
        .filter(message -> message.role().equals("user"))
        .findFirst()
        .map(ChatMessage::content)
        .orElse("");
  }

  String prompt() {
    return ChatTemplate.render(messages, ending);
  }

  private static ChatTemplate.Ending ending(Fields body) {
    boolean continueFinal = body.flag("continue_final_message", false);
    boolean addGeneration = body.flag("add_generation_prompt", true);
    if (continueFinal && addGeneration) {
      throw ApiError.badRequest(
          "continue_final_message and add_generation_prompt are not compatible. Use continue_final_message when you want the model to continue the final message, and add_generation_prompt when you want to add a header that will prompt it to start a new assistant message instead.");
    }
    if (continueFinal) {
      return ChatTemplate.Ending.CONTINUE_FINAL;
    }
    return addGeneration ? ChatTemplate.Ending.ASSISTANT_TURN : ChatTemplate.Ending.NONE;
  }

  private static String content(JsonNode message) {
    JsonNode content = message.path("content");
    if (content.isTextual()) {
      return content.textValue();
    }
    StringBuilder text = new StringBuilder();
    for (JsonNode part : content) {
      if (!part.path("text").isTextual()) {
        throw ApiError.badRequest("This model takes text only: use content parts of type text.");
      }
      text.append(text.isEmpty() ? "" : "\n").append(part.get("text").textValue());
    }
    return text.toString();
  }

  /**
   * Returns the earlier calls of the assistant, which are part of the prompt in the Hermes format.
   */
  private static String calls(JsonNode message) {
    StringBuilder text = new StringBuilder();
    for (JsonNode call : message.path("tool_calls")) {
      text.append("\n<tool_call>\n").append(call.path("function")).append("\n</tool_call>");
    }
    return text.toString();
  }
}
