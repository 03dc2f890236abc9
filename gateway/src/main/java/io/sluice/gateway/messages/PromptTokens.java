package io.sluice.gateway.messages;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.tokens.TokenEstimate;
import jakarta.inject.Singleton;

/** Estimates the tokens of a chat request's prompt, as routers do. Thread-safe. */
@Singleton
final class PromptTokens {
  private final TokenEstimate estimate = new TokenEstimate();

  /** Returns the estimate for the body of a chat request. */
  long of(ObjectNode chat) {
    return estimate.ofPrompt(new OpenAiRequest(Endpoint.CHAT_COMPLETIONS, chat));
  }
}
