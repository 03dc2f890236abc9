package io.sluice.gateway.responses.record;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The JSON of the records of {@code sluice.responses}. */
final class RecordFormat {
  private static final int VERSION = 1;

  private RecordFormat() {}

  static byte[] toJson(ResponseRecord record) {
    ObjectNode json = Json.mapper().createObjectNode().put("v", VERSION);
    switch (record) {
      case DeletedResponse _ -> json.put("type", "deleted");
      case CreatedResponse created -> {
        json.put("type", "created").put("tenant", created.tenant());
        json.put("created_at", created.createdAt().toEpochMilli());
        json.put("deadline", created.deadline().toEpochMilli());
        ObjectNode headers = json.putObject("headers");
        new TreeMap<>(created.headers()).forEach(headers::put);
        json.set("request", created.request());
        json.set("messages", created.earlier());
      }
    }
    return Json.bytes(json);
  }

  /** Parses a record; empty if this version does not understand it. */
  static Optional<ResponseRecord> parse(@Nullable String key, byte @Nullable [] value) {
    try {
      return key == null ? Optional.empty() : parse(key, Json.tree(value));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Parses the record of a response's creation; empty if it is not one. */
  static Optional<CreatedResponse> created(String requestId, byte @Nullable [] value) {
    return parse(requestId, value)
        .filter(CreatedResponse.class::isInstance)
        .map(CreatedResponse.class::cast);
  }

  private static Optional<ResponseRecord> parse(String requestId, JsonNode json) {
    if (json.path("v").asInt() != VERSION) {
      return Optional.empty();
    }
    return switch (json.path("type").asText("")) {
      case "deleted" -> Optional.of(new DeletedResponse(requestId));
      case "created" -> created(requestId, json);
      default -> Optional.empty();
    };
  }

  private static Optional<ResponseRecord> created(String requestId, JsonNode json) {
    if (!(json.path("request") instanceof ObjectNode request)
        || !(json.path("messages") instanceof ArrayNode earlier)) {
      return Optional.empty();
    }
    Map<String, String> headers = new TreeMap<>();
    json.path("headers").properties().forEach(h -> headers.put(h.getKey(), h.getValue().asText()));
    return Optional.of(
        new CreatedResponse(
            requestId,
            json.path("tenant").asText(),
            Instant.ofEpochMilli(json.path("created_at").asLong()),
            Instant.ofEpochMilli(json.path("deadline").asLong()),
            headers,
            request,
            earlier));
  }
}
