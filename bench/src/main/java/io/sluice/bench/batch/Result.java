package io.sluice.bench.batch;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A line of the output or of the error file.
 *
 * @param isError whether it is a line of the error file
 */
record Result(boolean isError, JsonNode json) {
  /** Returns the key of the input line to which it belongs. */
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
