package io.sluice.producer.client;

import io.sluice.common.protocol.Lane;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.tokens.TokenEstimate;

/**
 * Chooses a request's lane by the length of its prompt plus its requested output. The choice is a
 * hint: the router moves requests that are in the wrong lane. Thread-safe.
 */
final class LaneChoice {
  /** Assumed for a request that does not limit its output. */
  private static final int DEFAULT_OUTPUT_TOKENS = 512;

  private final Lanes lanes;
  private final TokenEstimate estimate = new TokenEstimate();

  LaneChoice(Lanes lanes) {
    this.lanes = lanes;
  }

  Lane of(InferenceRequest request) {
    long outputTokens = request.openAi().maxTokens().orElse(DEFAULT_OUTPUT_TOKENS);
    // A token has at least one byte, so a short request needs no tokenizer, whose vocabulary takes
    // long to load.
    Lane upperBound = lanes.holding(request.body().length + outputTokens);
    if (upperBound.equals(lanes.all().getFirst())) {
      return upperBound;
    }
    return lanes.holding(estimate.ofLongestPrompt(request.openAi()) + outputTokens);
  }
}
