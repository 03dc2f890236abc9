package io.sluice.worker.generation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import java.util.Map;
import java.util.Set;

/**
 * The fields around the choices in every object of an answer.
 *
 * @param createdEpochSeconds when the engine began, by its own clock
 */
record Envelope(Endpoint endpoint, String id, long createdEpochSeconds, String model) {
  private static final Set<String> OWN =
      Set.of("id", "object", "created", "model", "choices", "usage");

  /**
   * Returns the fields of a frame that not every object has, such as {@code system_fingerprint}.
   */
  static ObjectNode extraFields(ObjectNode frame) {
    ObjectNode extraFields = Json.mapper().createObjectNode();
    for (Map.Entry<String, JsonNode> field : frame.properties()) {
      if (!OWN.contains(field.getKey()) && !field.getValue().isNull()) {
        extraFields.set(field.getKey(), field.getValue());
      }
    }
    return extraFields;
  }

  /** Returns the envelope of the engine's frame; fields that it lacks keep their values. */
  Envelope of(JsonNode frame) {
    return new Envelope(
        endpoint,
        frame.path("id").asText(id),
        frame.path("created").asLong(createdEpochSeconds),
        frame.path("model").asText(model));
  }

  /** Returns the same envelope with the model that the frame names. */
  Envelope withModelOf(JsonNode frame) {
    return new Envelope(endpoint, id, createdEpochSeconds, frame.path("model").asText(model));
  }

  /** Returns a chunk of a stream. */
  ObjectNode chunk(ArrayNode choices) {
    return object(
        endpoint == Endpoint.CHAT_COMPLETIONS ? "chat.completion.chunk" : "text_completion",
        choices);
  }

  /** Returns a completion that is not streamed. */
  ObjectNode whole(ArrayNode choices) {
    return object(
        endpoint == Endpoint.CHAT_COMPLETIONS ? "chat.completion" : "text_completion", choices);
  }

  private ObjectNode object(String type, ArrayNode choices) {
    ObjectNode object = Json.mapper().createObjectNode();
    object.put("id", id).put("object", type).put("created", createdEpochSeconds);
    object.put("model", model);
    object.set("choices", choices);
    return object;
  }
}
