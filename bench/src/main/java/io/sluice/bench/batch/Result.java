package io.sluice.bench.batch;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A line of the output or of the error file.
 *
 * @param isError which of the two
 */
record Result(boolean isError, JsonNode json) {
  /** By which it belongs to a line of the input. */
  String key() {
    JsonNode line = json.path("error").path("line");
    return line.isIntegralNumber() ? keyOf(line.asInt()) : json.path("custom_id").asText();
  }

  static String keyOf(int lineNumber) {
    return "line " + lineNumber;
  }

  int status() {
    return json.path("response").path("status_code").asInt();
  }

  JsonNode body() {
    return json.path("response").path("body");
  }
}
