package io.sluice.gateway.files.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.files.StoredFile;
import io.sluice.gateway.http.ListPage;

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
    return ListPage.of(page.files().stream().map(FileObjects::of).toList(), page.hasMore());
  }

  static ObjectNode deleted(String id) {
    ObjectNode json = Json.mapper().createObjectNode().put("id", id);
    return json.put("object", "file").put("deleted", true);
  }
}
