package io.sluice.worker.engine;

import static java.util.Map.entry;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** vLLM, with the metrics of its older releases. */
final class VllmDialect implements EngineDialect {
  /** The {@code param} of its complaints about prompts that do not fit. */
  private static final Set<String> LENGTH_PARAMS = Set.of("input_tokens", "input_text");

  private static final Map<EngineMetric, List<String>> METRICS =
      Map.ofEntries(
          entry(EngineMetric.RUNNING, List.of("vllm:num_requests_running")),
          entry(EngineMetric.WAITING, List.of("vllm:num_requests_waiting")),
          entry(
              EngineMetric.KV_USAGE,
              List.of("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")),
          entry(EngineMetric.KV_BLOCKS_INFO, List.of("vllm:cache_config_info")),
          entry(EngineMetric.ADAPTERS_INFO, List.of("vllm:lora_requests_info")),
          entry(EngineMetric.START_SECONDS, List.of("process_start_time_seconds")),
          entry(EngineMetric.PROMPT_TOKENS, List.of("vllm:prompt_tokens_total")),
          entry(
              EngineMetric.CACHED_TOKENS,
              List.of(
                  "vllm:prompt_tokens_cached_total",
                  "vllm:prefix_cache_hits_total",
                  "vllm:gpu_prefix_cache_hits_total")),
          entry(EngineMetric.FIRST_TOKENS, List.of("vllm:time_to_first_token_seconds_count")),
          entry(EngineMetric.FIRST_TOKEN_SECONDS, List.of("vllm:time_to_first_token_seconds_sum")),
          entry(
              EngineMetric.INTER_TOKENS,
              List.of(
                  "vllm:inter_token_latency_seconds_count",
                  "vllm:time_per_output_token_seconds_count")),
          entry(
              EngineMetric.INTER_TOKEN_SECONDS,
              List.of(
                  "vllm:inter_token_latency_seconds_sum",
                  "vllm:time_per_output_token_seconds_sum")),
          entry(EngineMetric.PREEMPTIONS, List.of("vllm:num_preemptions_total")),
          entry(EngineMetric.DRAFT_TOKENS, List.of("vllm:spec_decode_num_draft_tokens_total")),
          entry(
              EngineMetric.ACCEPTED_TOKENS, List.of("vllm:spec_decode_num_accepted_tokens_total")));

  @Override
  public String name() {
    return "vllm";
  }

  @Override
  public Map<EngineMetric, List<String>> metrics() {
    return METRICS;
  }

  @Override
  public boolean tellsRunningUsage() {
    return true;
  }

  @Override
  public boolean isPromptTooLong(JsonNode error) {
    return LENGTH_PARAMS.contains(error.path("param").asText());
  }

  /** Where the code says more than the status, it is something else that is wrong with it. */
  @Override
  public boolean isLimitRefused(JsonNode error) {
    return error.path("param").asText().equals("max_tokens") && !error.path("code").isTextual();
  }

  @Override
  public boolean continuesChats() {
    return true;
  }

  @Override
  public boolean givesTokenIds() {
    return true;
  }

  @Override
  public boolean tellsOutputLimit() {
    return true;
  }
}
