package io.sluice.worker.generation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import java.util.Optional;
import java.util.Set;

/** One choice of an answer, merged from any number of frames. Not thread-safe. */
final class MergedChoice {
  private final int index;
  private final StringBuilder text = new StringBuilder();
  private final ObjectNode delta = Json.mapper().createObjectNode();
  private final ObjectNode besides = Json.mapper().createObjectNode();
  private boolean hasText;
  private Optional<JsonNode> finishReason = Optional.empty();
  private Optional<JsonNode> stopReason = Optional.empty();

  MergedChoice(int index) {
    this.index = index;
  }

  /** Text that precedes what the engine sends. */
  void begin(String earlier) {
    text.append(earlier);
    hasText = true;
  }

  /** Takes a frame's choice in. */
  void add(JsonNode choice) {
    addText(choice.path("text"));
    addText(choice.path("delta").path("content"));
    if (choice.path("delta") instanceof ObjectNode fields) {
      DeltaMerge.into(delta, fields, Set.of("content"));
    }
    addBesides(choice, "logprobs");
    addBesides(choice, "token_ids");
    addBesides(choice, "prompt_token_ids");
    addBesides(choice, "prompt_logprobs");
    if (choice.path("finish_reason").isTextual()) {
      finishReason = Optional.of(choice.path("finish_reason"));
      stopReason = Optional.of(choice.path("stop_reason")).filter(node -> !node.isMissingNode());
    }
  }

  Optional<String> finishReason() {
    return finishReason.map(JsonNode::asText);
  }

  /** What the engine adds to the finish reason; empty if that is nothing. */
  Optional<JsonNode> stopReason() {
    return stopReason.filter(reason -> !reason.isNull());
  }

  /** As it stands in a chunk; the finish reason is left to the closing chunk. */
  ObjectNode toChunk(Endpoint endpoint) {
    ObjectNode choice = Json.mapper().createObjectNode().put("index", index);
    if (endpoint == Endpoint.COMPLETIONS) {
      choice.put("text", text.toString());
    } else {
      choice.set("delta", withText(delta.deepCopy()));
    }
    choice.putNull("logprobs");
    choice.putNull("finish_reason");
    choice.setAll(besides);
    return choice;
  }

  /** As it stands in the closing chunk of a stream. */
  ObjectNode toClosingChunk(Endpoint endpoint) {
    ObjectNode choice = Json.mapper().createObjectNode().put("index", index);
    if (endpoint == Endpoint.COMPLETIONS) {
      choice.put("text", "");
    } else {
      choice.putObject("delta");
    }
    choice.putNull("logprobs");
    return finished(choice);
  }

  /** As it stands in a whole completion. */
  ObjectNode toWhole(Endpoint endpoint) {
    ObjectNode choice = Json.mapper().createObjectNode().put("index", index);
    if (endpoint == Endpoint.COMPLETIONS) {
      choice.put("text", text.toString());
    } else {
      ObjectNode message = Json.mapper().createObjectNode();
      message.put("role", delta.path("role").asText("assistant"));
      message.putNull("content");
      withText(message);
      DeltaMerge.into(message, delta, Set.of("role"));
      message.path("tool_calls").forEach(MergedChoice::dropIndex);
      if (message.path("tool_calls") instanceof ArrayNode calls && calls.isEmpty()) {
        message.remove("tool_calls");
      }
      choice.set("message", message);
    }
    choice.putNull("logprobs");
    choice.setAll(besides);
    return finished(choice);
  }

  private ObjectNode finished(ObjectNode choice) {
    choice.put("finish_reason", finishReason().orElse("stop"));
    stopReason.ifPresent(reason -> choice.set("stop_reason", reason));
    return choice;
  }

  private ObjectNode withText(ObjectNode target) {
    return hasText ? target.put("content", text.toString()) : target;
  }

  private void addText(JsonNode piece) {
    if (piece.isTextual()) {
      text.append(piece.asText());
      hasText = true;
    }
  }

  private void addBesides(JsonNode choice, String name) {
    JsonNode value = choice.path(name);
    if (!value.isMissingNode() && !value.isNull()) {
      DeltaMerge.into(besides, Json.mapper().createObjectNode().set(name, value), Set.of());
    }
  }

  private static void dropIndex(JsonNode call) {
    if (call instanceof ObjectNode object) {
      object.remove("index");
    }
  }
}
