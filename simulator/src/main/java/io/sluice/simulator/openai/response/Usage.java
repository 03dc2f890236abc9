package io.sluice.simulator.openai.response;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.OptionalInt;

/**
 * The token counts of a response.
 *
 * @param promptTokens the tokens of all prompts, each counted once for any n
 * @param completionTokens the tokens of all choices
 * @param cachedTokens the prompt tokens from the prefix cache, if usage reports them
 */
record Usage(int promptTokens, int completionTokens, OptionalInt cachedTokens) {

  /** The place of a usage object, which decides about the keys without a value. */
  enum Place {
    /** In a whole answer. */
    WHOLE,
    /** In the frame that ends a stream. */
    END,
    /** In each frame. */
    FRAME
  }

  /** Writes the object. */
  void write(JsonGenerator json, Place place, UsageKeys keys) throws IOException {
    json.writeObjectFieldStart("usage");
    json.writeNumberField("prompt_tokens", promptTokens);
    json.writeNumberField("total_tokens", promptTokens + completionTokens);
    json.writeNumberField("completion_tokens", completionTokens);
    if (cachedTokens.isPresent()) {
      json.writeObjectFieldStart("prompt_tokens_details");
      json.writeNumberField("cached_tokens", cachedTokens.getAsInt());
      keys.writeDetails(json, place, promptTokens - cachedTokens.getAsInt());
      json.writeEndObject();
    } else if (place == Place.WHOLE) {
      json.writeNullField("prompt_tokens_details");
    }
    keys.writeCompletionDetails(json, place);
    json.writeEndObject();
  }
}
