package io.sluice.producer.client;

import com.fasterxml.jackson.databind.JsonNode;

/** What a request cost, in tokens. */
public record Usage(int promptTokens, int completionTokens) {

  /** Reads OpenAI's {@code usage}; what is absent counts as 0. */
  static Usage of(JsonNode usage) {
    return new Usage(
        usage.path("prompt_tokens").asInt(0), usage.path("completion_tokens").asInt(0));
  }
}
