package io.sluice.producer.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * One choice of an answer, grown from the chunks that belong to it. Texts are joined, tool calls
 * are joined by their index, lists and log probabilities are appended; of anything else the last
 * value counts.
 */
final class Choice {
  private static final Set<String> JOINED =
      Set.of("content", "reasoning", "reasoning_content", "refusal");

  private final ObjectNode fields = Json.mapper().createObjectNode();
  private final ObjectNode message = Json.mapper().createObjectNode();
  private final Map<String, StringBuilder> texts = new TreeMap<>();
  private final Map<Integer, ObjectNode> toolCalls = new TreeMap<>();
  private final Map<String, ArrayNode> logprobs = new TreeMap<>();

  /** The text that a chunk's choice adds, whichever the endpoint. */
  static String textOf(JsonNode choice) {
    JsonNode content = choice.path("delta").path("content");
    JsonNode text = content.isTextual() ? content : choice.path("text");
    return text.isTextual() ? text.asText() : "";
  }

  void append(JsonNode chunk) {
    for (Map.Entry<String, JsonNode> field : chunk.properties()) {
      switch (field.getKey()) {
        case "delta" -> appendDelta(field.getValue());
        case "text" -> join("text", field.getValue());
        case "logprobs" -> appendLogprobs(field.getValue());
        default -> setIfKnown(fields, field);
      }
    }
  }

  /** The choice as it stands in a whole answer. */
  ObjectNode whole(boolean isChat) {
    ObjectNode choice = fields.deepCopy();
    if (isChat) {
      choice.set("message", wholeMessage());
    } else {
      choice.put("text", text("text"));
    }
    ObjectNode probabilities = Json.mapper().createObjectNode();
    logprobs.forEach(probabilities::set);
    choice.set("logprobs", probabilities.isEmpty() ? choice.nullNode() : probabilities);
    if (!choice.has("finish_reason")) {
      choice.putNull("finish_reason");
    }
    return choice;
  }

  private ObjectNode wholeMessage() {
    ObjectNode whole = Json.mapper().createObjectNode().put("role", "assistant");
    whole.setAll(message);
    if (toolCalls.isEmpty() || texts.containsKey("content")) {
      whole.put("content", text("content"));
    } else {
      whole.putNull("content");
    }
    texts.forEach((name, text) -> whole.put(name, text.toString()));
    if (!toolCalls.isEmpty()) {
      ArrayNode calls = whole.putArray("tool_calls");
      toolCalls.values().forEach(calls::add);
    }
    return whole;
  }

  private String text(String name) {
    StringBuilder text = texts.get(name);
    return text == null ? "" : text.toString();
  }

  private void appendDelta(JsonNode delta) {
    for (Map.Entry<String, JsonNode> field : delta.properties()) {
      if (JOINED.contains(field.getKey())) {
        join(field.getKey(), field.getValue());
      } else if (field.getKey().equals("tool_calls")) {
        field.getValue().forEach(this::appendToolCall);
      } else {
        setIfKnown(message, field);
      }
    }
  }

  private void appendToolCall(JsonNode part) {
    ObjectNode call =
        toolCalls.computeIfAbsent(
            part.path("index").asInt(0), index -> Json.mapper().createObjectNode());
    for (Map.Entry<String, JsonNode> field : part.properties()) {
      if (field.getKey().equals("function")) {
        ObjectNode function = call.withObjectProperty("function");
        for (Map.Entry<String, JsonNode> piece : field.getValue().properties()) {
          if (piece.getKey().equals("arguments")) {
            function.put(
                "arguments", function.path("arguments").asText("") + piece.getValue().asText(""));
          } else {
            setIfKnown(function, piece);
          }
        }
      } else if (!field.getKey().equals("index")) {
        setIfKnown(call, field);
      }
    }
  }

  private void appendLogprobs(JsonNode part) {
    for (Iterator<Map.Entry<String, JsonNode>> all = part.properties().iterator();
        all.hasNext(); ) {
      Map.Entry<String, JsonNode> list = all.next();
      if (list.getValue() instanceof ArrayNode values) {
        logprobs
            .computeIfAbsent(list.getKey(), name -> Json.mapper().createArrayNode())
            .addAll(values);
      }
    }
  }

  private void join(String name, JsonNode piece) {
    if (piece.isTextual()) {
      texts.computeIfAbsent(name, key -> new StringBuilder()).append(piece.asText());
    }
  }

  private static void setIfKnown(ObjectNode target, Map.Entry<String, JsonNode> field) {
    if (field.getValue() instanceof ArrayNode next
        && target.get(field.getKey()) instanceof ArrayNode before) {
      before.addAll(next);
    } else if (field.getValue() instanceof ArrayNode list) {
      target.set(field.getKey(), list.deepCopy());
    } else if (!field.getValue().isNull() || !target.has(field.getKey())) {
      target.set(field.getKey(), field.getValue());
    }
  }
}
