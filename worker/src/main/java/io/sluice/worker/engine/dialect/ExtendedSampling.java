package io.sluice.worker.engine.dialect;

import io.sluice.common.openai.OpenAiRequest;
import java.util.Set;

/** A dialect with the options of sampling beyond OpenAI's own that vLLM and SGLang share. */
interface ExtendedSampling extends EngineDialect {
  @Override
  default boolean isStateful(OpenAiRequest request) {
    return request.get("repetition_penalty").asDouble(1) != 1;
  }

  @Override
  default Set<String> numericOptions() {
    return Set.of("min_tokens", "top_k");
  }

  @Override
  default Set<String> minimumOptions() {
    return Set.of("min_tokens");
  }
}
