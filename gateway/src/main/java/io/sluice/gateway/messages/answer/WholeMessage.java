package io.sluice.gateway.messages.answer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.ToolCall;
import io.sluice.common.protocol.Json;
import io.sluice.producer.reply.Answer;

/** Translates a whole chat answer into a message. */
public final class WholeMessage {
  private WholeMessage() {}

  /** Returns the message. */
  public static ObjectNode of(Answer answer) {
    JsonNode chat = Json.known(answer.json());
    Choice choice = Choice.firstOfWhole(chat);
    ChatContent content = ChatContent.of(choice);
    ObjectNode message =
        new MessageHead(answer.requestId(), chat.path("model").asText("")).toJson(answer.usage());
    addBlocks(content, answer.requestId(), message.withArray("content"));
    StopReason.of(choice, !content.calls().isEmpty(), content.isRefusal()).addTo(message);
    return message;
  }

  private static void addBlocks(ChatContent content, String requestId, ArrayNode blocks) {
    if (!content.reasoning().isEmpty()) {
      blocks.add(ContentBlock.thinking(content.reasoning(), requestId));
    }
    if (!content.text().isEmpty()) {
      blocks.add(ContentBlock.text(content.text()));
    }
    for (ToolCall call : content.calls()) {
      String otherwise = "toolu_" + requestId + "_" + blocks.size();
      blocks.add(ContentBlock.call(call, otherwise, ContentBlock.input(call.arguments())));
    }
  }
}
