package io.sluice.gateway.responses.event;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.reply.Utf8Text;
import io.sluice.gateway.responses.record.CreatedResponse;
import java.util.Optional;

/**
 * OpenAI's {@code response} object. What it repeats of its request is held as text, because a tree
 * may need thirty times its bytes. Immutable.
 */
final class ResponseDocument {
  private static final long MILLIS = 1_000;

  private final CreatedResponse created;
  private final Utf8Text request;

  ResponseDocument(CreatedResponse created) {
    this.created = created.withoutContent();
    this.request = Utf8Text.ofJson(created.shown().request());
  }

  /** Returns the size of what is held. */
  int heldBytes() {
    return request.length();
  }

  /**
   * Returns the object.
   *
   * @param end empty if the response has not ended
   */
  ObjectNode toJson(ResponseStatus status, ArrayNode output, Optional<ResponseEnd> end) {
    JsonNode request = this.request.knownJson();
    ObjectNode json = Json.mapper().createObjectNode();
    json.put("id", created.id()).put("object", "response");
    json.put("created_at", created.createdAt().getEpochSecond());
    json.put("status", status.text()).put("background", created.isBackground());
    json.set("completed_at", completedAt(status, end));
    json.set("error", end.map(ResponseEnd::error).orElse(NullNode.getInstance()));
    json.set("incomplete_details", incompleteDetails(end));
    copy("instructions", request, json);
    copy("max_output_tokens", request, json);
    copy("max_tool_calls", request, json);
    json.put(
        "model", end.flatMap(ResponseEnd::model).orElseGet(() -> request.path("model").asText()));
    json.set("output", output);
    json.put("parallel_tool_calls", request.path("parallel_tool_calls").asBoolean(true));
    copy("previous_response_id", request, json);
    copy("prompt_cache_key", request, json);
    json.set("reasoning", reasoning(request));
    copy("safety_identifier", request, json);
    json.put("service_tier", request.path("service_tier").asText("default"));
    json.put("store", created.isStored());
    copy("temperature", request, json);
    json.set("text", text(request));
    json.set("tool_choice", orElse("tool_choice", request, Json.mapper().valueToTree("auto")));
    json.set("tools", tools(request));
    json.put("top_logprobs", request.path("top_logprobs").asInt(0));
    copy("top_p", request, json);
    json.put("truncation", request.path("truncation").asText("disabled"));
    json.set("usage", end.map(ResponseEnd::usage).orElse(NullNode.getInstance()));
    copy("user", request, json);
    json.set("metadata", orElse("metadata", request, Json.mapper().createObjectNode()));
    return json;
  }

  private JsonNode completedAt(ResponseStatus status, Optional<ResponseEnd> end) {
    if (status != ResponseStatus.COMPLETED || end.isEmpty()) {
      return NullNode.getInstance();
    }
    long millis = created.createdAt().toEpochMilli() + end.get().latencyMillis().orElse(0);
    return Json.mapper().getNodeFactory().numberNode(millis / MILLIS);
  }

  private static JsonNode incompleteDetails(Optional<ResponseEnd> end) {
    return end.flatMap(ResponseEnd::incompleteReason)
        .<JsonNode>map(reason -> Json.mapper().createObjectNode().put("reason", reason))
        .orElse(NullNode.getInstance());
  }

  private static ObjectNode reasoning(JsonNode request) {
    ObjectNode reasoning = Json.mapper().createObjectNode();
    reasoning.set("effort", request.path("reasoning").path("effort"));
    reasoning.set("summary", NullNode.getInstance());
    if (reasoning.path("effort").isMissingNode()) {
      reasoning.putNull("effort");
    }
    return reasoning;
  }

  private static JsonNode text(JsonNode request) {
    if (request.path("text") instanceof ObjectNode text && text.hasNonNull("format")) {
      return text;
    }
    ObjectNode text =
        request.path("text") instanceof ObjectNode given ? given : Json.mapper().createObjectNode();
    text.putObject("format").put("type", "text");
    return text;
  }

  /** Clients expect the fields of a function that a caller may leave out. */
  private static ArrayNode tools(JsonNode request) {
    ArrayNode tools = Json.mapper().createArrayNode();
    for (JsonNode tool : request.path("tools")) {
      ObjectNode whole = (ObjectNode) tool;
      if (!whole.has("strict")) {
        whole.put("strict", false);
      }
      if (!whole.has("parameters")) {
        whole.putNull("parameters");
      }
      tools.add(whole);
    }
    return tools;
  }

  private static void copy(String name, JsonNode request, ObjectNode json) {
    json.set(name, orElse(name, request, NullNode.getInstance()));
  }

  private static JsonNode orElse(String name, JsonNode request, JsonNode otherwise) {
    return request.hasNonNull(name) ? request.get(name) : otherwise;
  }
}
