package io.sluice.bench.torture.batches;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Reads the list of all batches, page by page. */
final class BatchList {
  private BatchList() {}

  /** Returns all batches by id, the newest first; empty if the caller gave up before. */
  static Optional<Map<String, JsonNode>> read(PatientCaller caller) throws InterruptedException {
    Map<String, JsonNode> batches = new LinkedHashMap<>();
    String after = "";
    while (true) {
      Optional<String> body = caller.get("/v1/batches?limit=20" + after);
      if (body.isEmpty()) {
        return Optional.empty();
      }
      JsonNode page = BatchClient.parse(body.get());
      page.path("data").forEach(batch -> batches.put(batch.path("id").asText(), batch));
      if (!page.path("has_more").asBoolean()) {
        return Optional.of(batches);
      }
      after = "&after=" + page.path("last_id").asText();
    }
  }
}
