package io.sluice.bench.torture.batches;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * A line of an input file.
 *
 * @param customId part of the line's prompt, too
 * @param body what the pool is asked, never for a stream; empty if the line is not a request
 * @param code the error of a line that is not a request; empty for a request
 */
record PlannedLine(String customId, String text, Optional<ObjectNode> body, String code) {
  private static final ObjectMapper JSON = new ObjectMapper();

  static PlannedLine request(String customId, String endpoint, ObjectNode body) {
    return new PlannedLine(
        customId,
        json(customId, endpoint, body).toString(),
        Optional.of(body.deepCopy().put("stream", false)),
        "");
  }

  /** Returns a line that breaks off. */
  static PlannedLine invalidJson(String customId, String endpoint, ObjectNode body) {
    String text = json(customId, endpoint, body).toString();
    return new PlannedLine(
        customId, text.substring(0, text.length() / 2), Optional.empty(), "invalid_json");
  }

  /** Returns a line that uses the id of an earlier line. */
  static PlannedLine repeatedId(PlannedLine earlier) {
    return new PlannedLine(
        earlier.customId(), earlier.text(), Optional.empty(), "duplicate_custom_id");
  }

  private static ObjectNode json(String customId, String endpoint, ObjectNode body) {
    ObjectNode line = JSON.createObjectNode().put("custom_id", customId).put("method", "POST");
    line.put("url", endpoint).set("body", body);
    return line;
  }
}
