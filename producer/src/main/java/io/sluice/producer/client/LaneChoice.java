package io.sluice.producer.client;

import io.sluice.common.openai.RequestedOutput;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Lane;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.tokens.TokenEstimate;
import org.jspecify.annotations.Nullable;

/**
 * Chooses a request's lane by the length of its prompt plus its requested output. The choice is a
 * hint: the router moves requests that are in the wrong lane. Thread-safe.
 */
final class LaneChoice {
  /** Assumed for a request that does not limit its output. */
  private static final int DEFAULT_OUTPUT_TOKENS = 512;

  private final Lanes lanes;
  private @Nullable TokenEstimate estimate;

  LaneChoice(Lanes lanes) {
    this.lanes = lanes;
  }

  Lane of(InferenceRequest request) {
    long outputTokens =
        RequestedOutput.of(request.json(), request.endpoint()).orElse(DEFAULT_OUTPUT_TOKENS);
    // A token has at least one byte, so a short request needs no tokenizer, whose tables
    // take long to load.
    Lane upperBound = lanes.holding(request.body().length + outputTokens);
    if (upperBound.equals(lanes.all().getFirst())) {
      return upperBound;
    }
    return lanes.holding(promptTokens(request) + outputTokens);
  }

  private long promptTokens(InferenceRequest request) {
    TokenEstimate tokens = estimate();
    return request.endpoint() == Endpoint.CHAT_COMPLETIONS
        ? tokens.ofMessages(request.json().path("messages"))
        : tokens.ofPrompt(request.json().path("prompt"));
  }

  private synchronized TokenEstimate estimate() {
    TokenEstimate known = estimate;
    if (known == null) {
      known = new TokenEstimate();
      estimate = known;
    }
    return known;
  }
}
