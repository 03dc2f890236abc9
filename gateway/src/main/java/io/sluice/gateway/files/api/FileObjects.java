package io.sluice.gateway.files.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.files.StoredFile;
import java.util.List;

/** Files as OpenAI's objects. */
final class FileObjects {
  private FileObjects() {}

  static ObjectNode of(StoredFile file) {
    ObjectNode json = Json.mapper().createObjectNode().put("id", file.id());
    json.put("object", "file").put("bytes", file.bytes());
    json.put("created_at", file.createdAt().getEpochSecond());
    json.put("expires_at", file.expiresAt().map(time -> time.getEpochSecond()).orElse(null));
    json.put("filename", file.filename()).put("purpose", file.purpose());
    return json.put("status", "processed").putNull("status_details");
  }

  static ObjectNode of(FilePage page) {
    List<StoredFile> files = page.files();
    ObjectNode json = Json.mapper().createObjectNode().put("object", "list");
    json.putArray("data").addAll(files.stream().map(FileObjects::of).toList());
    json.put("first_id", files.isEmpty() ? null : files.getFirst().id());
    json.put("last_id", files.isEmpty() ? null : files.getLast().id());
    return json.put("has_more", page.hasMore());
  }

  static ObjectNode deleted(String id) {
    ObjectNode json = Json.mapper().createObjectNode().put("id", id);
    return json.put("object", "file").put("deleted", true);
  }
}
