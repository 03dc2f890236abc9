package io.sluice.gateway.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.files.StoredFile.Part;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The JSON of a {@link StoredFile} in storage. */
final class MetaFormat {
  private static final int VERSION = 1;

  private MetaFormat() {}

  static byte[] toJson(StoredFile file) {
    ObjectNode json = Json.mapper().createObjectNode().put("v", VERSION);
    json.put("id", file.id()).put("tenant", file.tenant());
    json.put("filename", file.filename()).put("purpose", file.purpose());
    json.put("created_at", file.createdAt().getEpochSecond());
    file.expiresAt().ifPresent(time -> json.put("expires_at", time.getEpochSecond()));
    ArrayNode parts = json.putArray("parts");
    file.parts()
        .forEach(part -> parts.addObject().put("name", part.name()).put("bytes", part.bytes()));
    return Json.bytes(json);
  }

  /**
   * Parses a stored file.
   *
   * @param key where it was, for the error message
   * @throws StorageException if this version does not understand it
   */
  static StoredFile parse(byte[] value, String key) {
    JsonNode json;
    try {
      json = Json.tree(value);
    } catch (IOException e) {
      throw new StorageException("%s is not JSON: %s".formatted(key, e.getMessage()), e);
    }
    if (json.path("v").asInt() != VERSION) {
      throw new StorageException(key + " was not written by this version");
    }
    List<Part> parts = new ArrayList<>();
    json.path("parts")
        .forEach(
            part -> parts.add(new Part(part.path("name").asText(), part.path("bytes").asInt())));
    return new StoredFile(
        json.path("id").asText(),
        json.path("tenant").asText(),
        json.path("filename").asText(),
        json.path("purpose").asText(),
        Instant.ofEpochSecond(json.path("created_at").asLong()),
        json.hasNonNull("expires_at")
            ? Optional.of(Instant.ofEpochSecond(json.path("expires_at").asLong()))
            : Optional.empty(),
        parts);
  }
}
