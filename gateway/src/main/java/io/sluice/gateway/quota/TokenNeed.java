package io.sluice.gateway.quota;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.openai.RequestedOutput;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.tokens.TokenEstimate;
import io.sluice.gateway.pool.Spent;
import io.sluice.producer.client.InferenceRequest;

/**
 * How many tokens a request may use.
 *
 * @param prompt by estimate
 * @param answer of all its choices
 */
record TokenNeed(long prompt, long answer) {
  /** For a request that leaves its length to the engine. */
  private static final int UNKNOWN_OUTPUT_TOKENS = 1_024;

  /** Keeps the product within a long; no engine makes that many. */
  private static final long MOST_CHOICES = 1_000_000;

  /** Returns the need of a request. */
  static TokenNeed of(InferenceRequest request, TokenEstimate estimate) {
    JsonNode body = request.json();
    boolean isChat = request.endpoint() == Endpoint.CHAT_COMPLETIONS;
    long prompt =
        isChat
            ? estimate.ofMessages(body.path("messages"))
            : estimate.ofPrompt(body.path("prompt"));
    long each =
        Math.max(0, RequestedOutput.of(body, request.endpoint()).orElse(UNKNOWN_OUTPUT_TOKENS));
    long choices = isChat ? count(body.path("n")) : choices(body);
    return new TokenNeed(prompt, Math.min(choices, MOST_CHOICES) * each);
  }

  /** A completion has choices for each of its prompts, and may drop some of those it makes. */
  private static long choices(JsonNode body) {
    JsonNode prompt = body.path("prompt");
    boolean isList = prompt.isArray() && !prompt.path(0).isNumber();
    long prompts = isList ? Math.max(1, prompt.size()) : 1;
    return prompts * Math.max(count(body.path("n")), count(body.path("best_of")));
  }

  private static long count(JsonNode field) {
    return field.isIntegralNumber() && field.canConvertToInt() ? Math.max(1, field.asInt()) : 1;
  }

  long total() {
    return prompt + answer;
  }

  /** Returns how many tokens were not used; below 0 if more were used. */
  long left(Spent spent) {
    return spent.answer().isEmpty()
        ? 0
        : total() - spent.prompt().orElse(prompt) - spent.answer().getAsLong();
  }
}
