package io.sluice.gateway.quota;

import io.sluice.common.openai.OpenAiRequest;
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
    OpenAiRequest body = request.openAi();
    long each = Math.max(0, body.maxTokens().orElse(UNKNOWN_OUTPUT_TOKENS));
    // A completion may drop some of the choices that it makes.
    long choices =
        body.endpoint() == Endpoint.COMPLETIONS
            ? (long) body.prompts() * Math.max(body.choices(), body.bestOf())
            : body.choices();
    return new TokenNeed(estimate.ofPrompt(body), Math.min(choices, MOST_CHOICES) * each);
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
