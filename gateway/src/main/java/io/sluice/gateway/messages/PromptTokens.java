package io.sluice.gateway.messages;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.tokens.TokenEstimate;
import jakarta.inject.Singleton;

/**
 * Estimates the tokens of a chat request's prompt: messages, calls and tools. Images do not count.
 * Thread-safe.
 */
@Singleton
final class PromptTokens {
  private final TokenEstimate estimate = new TokenEstimate();

  /** Returns the estimate for the body of a chat request. */
  long of(JsonNode chat) {
    long tokens = estimate.ofMessages(chat.path("messages"));
    for (JsonNode message : chat.path("messages")) {
      tokens += ofJson(message.path("tool_calls"));
    }
    return tokens + ofJson(chat.path("tools"));
  }

  private long ofJson(JsonNode json) {
    return json.isEmpty() ? 0 : estimate.ofText(Json.text(json));
  }
}
