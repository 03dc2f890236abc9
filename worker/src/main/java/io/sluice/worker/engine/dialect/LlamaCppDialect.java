package io.sluice.worker.engine.dialect;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.OptionalInt;

/** llama.cpp's server. */
final class LlamaCppDialect implements EngineDialect {
  private static final MetricNames METRICS =
      MetricNames.builder()
          .value(EngineMetric.RUNNING, "llamacpp:requests_processing")
          .value(EngineMetric.WAITING, "llamacpp:requests_deferred")
          .value(EngineMetric.KV_USAGE, "llamacpp:kv_cache_usage_ratio")
          .value(EngineMetric.COMPUTED_TOKENS, "llamacpp:prompt_tokens_total")
          .value(EngineMetric.CACHED_TOKENS, "llamacpp:prompt_tokens_cached_total")
          .value(EngineMetric.INTER_TOKENS, "llamacpp:tokens_predicted_total")
          .value(EngineMetric.INTER_TOKEN_SECONDS, "llamacpp:tokens_predicted_seconds_total")
          .build();

  @Override
  public String name() {
    return "llamacpp";
  }

  /** Returns what one of the server's slots holds. */
  @Override
  public OptionalInt context(JsonNode card) {
    return EngineDialect.positive(card.at("/meta/n_ctx"));
  }

  @Override
  public MetricNames metrics() {
    return METRICS;
  }

  @Override
  public boolean isPromptTooLong(JsonNode error) {
    return error.path("type").asText().equals("exceed_context_size_error");
  }
}
