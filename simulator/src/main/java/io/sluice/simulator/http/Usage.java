package io.sluice.simulator.http;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;

/**
 * Token counts of a response.
 *
 * @param promptTokens every prompt once, whatever n is
 * @param completionTokens all choices together
 */
record Usage(int promptTokens, int completionTokens) {

  /** Writes the object; whole responses also have the null details. */
  void write(JsonGenerator json, boolean withNulls) throws IOException {
    json.writeObjectFieldStart("usage");
    json.writeNumberField("prompt_tokens", promptTokens);
    json.writeNumberField("total_tokens", promptTokens + completionTokens);
    json.writeNumberField("completion_tokens", completionTokens);
    if (withNulls) {
      json.writeNullField("prompt_tokens_details");
    }
    json.writeEndObject();
  }
}
