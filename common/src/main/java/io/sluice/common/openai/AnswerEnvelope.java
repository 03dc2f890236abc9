package io.sluice.common.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The fields around the choices in every object of an answer: each chunk, or the whole answer. */
public record AnswerEnvelope(Endpoint endpoint, Origin origin, String model) {
  /** The field of the choices. */
  public static final String CHOICES = "choices";

  /** The fields that every object has, with the choices and the usage. */
  public static final Set<String> FIELDS =
      Set.of("id", "object", "created", "model", CHOICES, "usage");

  /** The type of a completion, streamed or whole. */
  private static final String COMPLETION = "text_completion";

  static final String WHOLE_CHAT = "chat.completion";
  static final String CHUNK_OF_CHAT = "chat.completion.chunk";

  /**
   * The fields that all objects of one answer have in common.
   *
   * @param createdEpochSeconds when the engine began, by its own clock
   */
  public record Origin(String id, long createdEpochSeconds) {
    private static final Origin UNKNOWN = new Origin("", 0);

    /** Returns the origin of an object; empty if it has no id. */
    public static Optional<Origin> parse(JsonNode object) {
      return object.path("id").isTextual() ? Optional.of(UNKNOWN.of(object)) : Optional.empty();
    }

    private Origin of(JsonNode object) {
      return new Origin(
          object.path("id").asText(id), object.path("created").asLong(createdEpochSeconds));
    }
  }

  /** Returns the endpoint of an object of an answer; that of chats if the object has no type. */
  public static Endpoint endpointOf(JsonNode object) {
    return object.path("object").asText("chat").startsWith("chat")
        ? Endpoint.CHAT_COMPLETIONS
        : Endpoint.COMPLETIONS;
  }

  /** Returns the type of whole answers. */
  public static String typeOfWhole(Endpoint endpoint) {
    return endpoint == Endpoint.CHAT_COMPLETIONS ? WHOLE_CHAT : COMPLETION;
  }

  /**
   * Returns the fields of an object that not every object has, such as {@code system_fingerprint}.
   */
  public static ObjectNode extraFields(ObjectNode object) {
    ObjectNode extraFields = Json.mapper().createObjectNode();
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      if (!FIELDS.contains(field.getKey()) && !field.getValue().isNull()) {
        extraFields.set(field.getKey(), field.getValue());
      }
    }
    return extraFields;
  }

  /** Returns the envelope of an object; fields that it lacks keep their values. */
  public AnswerEnvelope of(JsonNode object) {
    return withModelOf(object).with(origin.of(object));
  }

  /** Returns the same envelope with the model that an object names. */
  public AnswerEnvelope withModelOf(JsonNode object) {
    return new AnswerEnvelope(endpoint, origin, object.path("model").asText(model));
  }

  /** Returns the same envelope of another answer. */
  public AnswerEnvelope with(Origin other) {
    return new AnswerEnvelope(endpoint, other, model);
  }

  /** Returns a chunk of a stream. */
  public ObjectNode chunk(ArrayNode choices) {
    return object(endpoint == Endpoint.CHAT_COMPLETIONS ? CHUNK_OF_CHAT : COMPLETION, choices);
  }

  /** Returns an answer that is not streamed. */
  public ObjectNode whole(ArrayNode choices) {
    return object(typeOfWhole(endpoint), choices);
  }

  private ObjectNode object(String type, ArrayNode choices) {
    ObjectNode object = Json.mapper().createObjectNode();
    object.put("id", origin.id()).put("object", type);
    object.put("created", origin.createdEpochSeconds()).put("model", model);
    object.set(CHOICES, choices);
    return object;
  }
}
