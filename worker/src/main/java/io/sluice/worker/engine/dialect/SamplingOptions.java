package io.sluice.worker.engine.dialect;

import io.sluice.common.openai.OpenAiRequest;
import java.util.Set;

/** The options of sampling beyond OpenAI's own that vLLM and SGLang have in common. */
final class SamplingOptions {
  private static final String MIN_TOKENS = "min_tokens";

  /** Those that ask for a least number of output tokens. */
  static final Set<String> MINIMUMS = Set.of(MIN_TOKENS);

  /** Those that are numbers. */
  static final Set<String> NUMBERS = Set.of(MIN_TOKENS, "top_k");

  private SamplingOptions() {}

  /** Returns whether the choice of a token depends on whether it occurred before. */
  static boolean isPenalised(OpenAiRequest request) {
    return request.get("repetition_penalty").asDouble(1) != 1;
  }

  /** Returns whether the answer may show the text of a token that ends it. */
  static boolean showsStopTokens(OpenAiRequest request) {
    return request.isSet("stop_token_ids") || !request.get("skip_special_tokens").asBoolean(true);
  }
}
