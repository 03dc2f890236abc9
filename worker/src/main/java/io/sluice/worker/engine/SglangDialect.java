package io.sluice.worker.engine;

import static java.util.Map.entry;

import java.util.List;
import java.util.Map;

/** SGLang; by its documentation, never run against one. */
final class SglangDialect implements EngineDialect {
  private static final Map<EngineMetric, List<String>> METRICS =
      Map.ofEntries(
          entry(EngineMetric.RUNNING, List.of("sglang:num_running_reqs")),
          entry(EngineMetric.WAITING, List.of("sglang:num_queue_reqs")),
          entry(EngineMetric.KV_USAGE, List.of("sglang:token_usage")),
          entry(EngineMetric.KV_TOKENS, List.of("sglang:max_total_num_tokens")),
          entry(EngineMetric.START_SECONDS, List.of("process_start_time_seconds")),
          entry(EngineMetric.PROMPT_TOKENS, List.of("sglang:prompt_tokens_total")),
          entry(EngineMetric.CACHED_TOKENS, List.of("sglang:cached_tokens_total")),
          entry(EngineMetric.FIRST_TOKENS, List.of("sglang:time_to_first_token_seconds_count")),
          entry(
              EngineMetric.FIRST_TOKEN_SECONDS, List.of("sglang:time_to_first_token_seconds_sum")),
          entry(
              EngineMetric.INTER_TOKENS,
              List.of(
                  "sglang:inter_token_latency_seconds_count",
                  "sglang:time_per_output_token_seconds_count")),
          entry(
              EngineMetric.INTER_TOKEN_SECONDS,
              List.of(
                  "sglang:inter_token_latency_seconds_sum",
                  "sglang:time_per_output_token_seconds_sum")));

  @Override
  public String name() {
    return "sglang";
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
  public boolean continuesChats() {
    return true;
  }
}
