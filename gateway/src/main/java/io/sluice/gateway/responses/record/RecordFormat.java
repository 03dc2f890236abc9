package io.sluice.gateway.responses.record;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The JSON of the records of {@code sluice.responses}. What is not asked for is not parsed. */
final class RecordFormat {
  private static final int VERSION = 1;
  private static final String REQUEST = "request";
  private static final String MESSAGES = "messages";

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
        json.set(REQUEST, created.request());
        json.set(MESSAGES, created.earlier());
      }
    }
    return Json.bytes(json);
  }

  /** Returns for whom a response exists; empty if this is not the record of its creation. */
  static Optional<String> tenant(byte[] value) {
    try {
      JsonNode json = parsed(value, Set.of());
      boolean isCreation =
          json.path("v").asInt() == VERSION
              && json.path("type").asText().equals("created")
              && json.path(REQUEST).isObject();
      return isCreation ? Optional.of(json.path("tenant").asText()) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Parses the record of a response's creation, without messages and with few fields. */
  static CreatedResponse part(String requestId, byte[] value, Set<String> fields) {
    try {
      return created(requestId, parsed(value, fields));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Parses the record of a response's creation. */
  static CreatedResponse whole(String requestId, byte[] value) {
    try {
      return created(requestId, Json.tree(value));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static CreatedResponse created(String requestId, JsonNode json) {
    Map<String, String> headers = new TreeMap<>();
    json.path("headers").properties().forEach(h -> headers.put(h.getKey(), h.getValue().asText()));
    return new CreatedResponse(
        requestId,
        json.path("tenant").asText(),
        Instant.ofEpochMilli(json.path("created_at").asLong()),
        Instant.ofEpochMilli(json.path("deadline").asLong()),
        headers,
        (ObjectNode) json.path(REQUEST),
        json.path(MESSAGES) instanceof ArrayNode earlier
            ? earlier
            : Json.mapper().createArrayNode());
  }

  /** Parses a record, its request only as far as its fields are wanted, and no messages. */
  private static ObjectNode parsed(byte[] value, Set<String> fields) throws IOException {
    try (JsonParser parser = Json.mapper().createParser(value)) {
      ObjectNode json = Json.mapper().createObjectNode();
      boolean isObject = parser.nextToken() == JsonToken.START_OBJECT;
      while (isObject && parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        JsonToken first = parser.nextToken();
        if (name.equals(REQUEST) && first == JsonToken.START_OBJECT) {
          json.set(name, members(parser, fields));
        } else if (name.equals(MESSAGES)) {
          parser.skipChildren();
        } else {
          json.set(name, parser.<JsonNode>readValueAsTree());
        }
      }
      return json;
    }
  }

  private static ObjectNode members(JsonParser parser, Set<String> wanted) throws IOException {
    ObjectNode json = Json.mapper().createObjectNode();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      if (wanted.contains(name)) {
        json.set(name, parser.<JsonNode>readValueAsTree());
      } else {
        parser.skipChildren();
      }
    }
    return json;
  }
}
