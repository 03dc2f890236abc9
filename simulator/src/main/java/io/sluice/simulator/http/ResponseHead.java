package io.sluice.simulator.http;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;

/**
 * The first fields of every response object.
 *
 * @param id the response id
 * @param createdSeconds when the request came, in Unix seconds
 * @param model the served name
 * @param fingerprint the system fingerprint
 */
record ResponseHead(String id, long createdSeconds, String model, String fingerprint) {

  void write(JsonGenerator json, String object) throws IOException {
    json.writeStringField("id", id);
    json.writeStringField("object", object);
    json.writeNumberField("created", createdSeconds);
    json.writeStringField("model", model);
  }

  /** The usage frame is the same for chat and completions, and has no nulls. */
  byte[] usageFrame(String object, Usage usage) {
    return Json.bytes(
        json -> {
          json.writeStartObject();
          write(json, object);
          json.writeArrayFieldStart("choices");
          json.writeEndArray();
          usage.write(json, false);
          json.writeStringField("system_fingerprint", fingerprint);
          json.writeEndObject();
        });
  }
}
