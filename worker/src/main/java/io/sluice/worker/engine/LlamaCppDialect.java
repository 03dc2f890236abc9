package io.sluice.worker.engine;

import static java.util.Map.entry;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** llama.cpp's server. */
final class LlamaCppDialect implements EngineDialect {
  private static final Map<EngineMetric, List<String>> METRICS =
      Map.ofEntries(
          entry(EngineMetric.RUNNING, List.of("llamacpp:requests_processing")),
          entry(EngineMetric.WAITING, List.of("llamacpp:requests_deferred")),
          entry(EngineMetric.KV_USAGE, List.of("llamacpp:kv_cache_usage_ratio")),
          entry(EngineMetric.COMPUTED_TOKENS, List.of("llamacpp:prompt_tokens_total")),
          entry(EngineMetric.CACHED_TOKENS, List.of("llamacpp:prompt_tokens_cached_total")),
          entry(EngineMetric.INTER_TOKENS, List.of("llamacpp:tokens_predicted_total")),
          entry(
              EngineMetric.INTER_TOKEN_SECONDS,
              List.of("llamacpp:tokens_predicted_seconds_total")));

  @Override
  public String name() {
    return "llamacpp";
  }

  /** What one of its slots holds. */
  @Override
  public OptionalInt context(JsonNode card) {
    return EngineDialect.positive(card.at("/meta/n_ctx"));
  }

  @Override
  public Map<EngineMetric, List<String>> metrics() {
    return METRICS;
  }

  @Override
  public boolean isPromptTooLong(JsonNode error) {
    return error.path("type").asText().equals("exceed_context_size_error");
  }
}
