package io.sluice.simulator.http;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.OptionalInt;

/**
 * Token counts of a response.
 *
 * @param promptTokens every prompt once, whatever n is
 * @param completionTokens all choices together
 * @param cachedTokens prompt tokens from the prefix cache, when usage tells them
 */
record Usage(int promptTokens, int completionTokens, OptionalInt cachedTokens) {

  /** Writes the object; whole responses also have the null details. */
  void write(JsonGenerator json, boolean withNulls) throws IOException {
    json.writeObjectFieldStart("usage");
    json.writeNumberField("prompt_tokens", promptTokens);
    json.writeNumberField("total_tokens", promptTokens + completionTokens);
    json.writeNumberField("completion_tokens", completionTokens);
    if (cachedTokens.isPresent()) {
      json.writeObjectFieldStart("prompt_tokens_details");
      json.writeNumberField("cached_tokens", cachedTokens.getAsInt());
      json.writeEndObject();
    } else if (withNulls) {
      json.writeNullField("prompt_tokens_details");
    }
    json.writeEndObject();
  }
}
