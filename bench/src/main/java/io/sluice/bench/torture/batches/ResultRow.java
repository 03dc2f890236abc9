package io.sluice.bench.torture.batches;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** A line of a file with results, in the form that OpenAI's Batch API specifies. */
record ResultRow(JsonNode json) {
  private static final String ID_PREFIX = "batch_req_";

  /** Parses a file. */
  static List<ResultRow> of(String file) {
    return file.lines().map(line -> new ResultRow(BatchClient.parse(line))).toList();
  }

  /** Returns the id of the line's request in the pool. */
  String requestId() {
    String id = json.path("id").asText();
    return id.startsWith(ID_PREFIX) ? id.substring(ID_PREFIX.length()) : "";
  }

  String customId() {
    return json.path("custom_id").asText("");
  }

  /** Returns the number of a line that is not a request, counted from 1; 0 for others. */
  int brokenLine() {
    return json.at("/error/line").asInt();
  }

  /** Returns whether it has the answer of a request. */
  boolean isAnswer() {
    return json.at("/response/status_code").asInt() == 200
        && json.path("error").isNull()
        && json.at("/response/request_id").asText().equals(requestId());
  }

  /** Returns the error of a line without a response; empty for others. */
  String lineError() {
    return json.path("response").isNull() ? json.at("/error/code").asText() : "";
  }

  /** Returns the error with which the line's request ended; empty for others. */
  String requestError() {
    return json.at("/response/body/error/code").asText("");
  }

  JsonNode body() {
    return json.at("/response/body");
  }
}
