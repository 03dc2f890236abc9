package io.sluice.worker.engine.dialect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/** SGLang, by its documentation: this class was never tested with a real one. */
final class SglangDialect implements EngineDialect {
  private static final Optional<MessageContinuation> CHATS =
      Optional.of(new ContinueFinalMessage());

  private static final MetricNames METRICS =
      MetricNames.builder()
          .value(EngineMetric.RUNNING, "sglang:num_running_reqs")
          .value(EngineMetric.WAITING, "sglang:num_queue_reqs")
          .value(EngineMetric.KV_USAGE, "sglang:token_usage")
          .value(EngineMetric.KV_TOKENS, "sglang:max_total_num_tokens")
          .value(EngineMetric.START_SECONDS, "process_start_time_seconds")
          .value(EngineMetric.PROMPT_TOKENS, "sglang:prompt_tokens_total")
          .value(EngineMetric.CACHED_TOKENS, "sglang:cached_tokens_total")
          .value(EngineMetric.FIRST_TOKENS, "sglang:time_to_first_token_seconds_count")
          .value(EngineMetric.FIRST_TOKEN_SECONDS, "sglang:time_to_first_token_seconds_sum")
          .value(
              EngineMetric.INTER_TOKENS,
              "sglang:inter_token_latency_seconds_count",
              "sglang:time_per_output_token_seconds_count")
          .value(
              EngineMetric.INTER_TOKEN_SECONDS,
              "sglang:inter_token_latency_seconds_sum",
              "sglang:time_per_output_token_seconds_sum")
          .build();

  @Override
  public String name() {
    return "sglang";
  }

  @Override
  public MetricNames metrics() {
    return METRICS;
  }

  @Override
  public ObjectNode askForStream(ObjectNode body) {
    return EngineDialect.super.askForStream(body).put("continuous_usage_stats", true);
  }

  @Override
  public boolean isAbort(String finishReason) {
    return finishReason.equals("abort");
  }

  /** SGLang has no code or parameter for this, only words. */
  @Override
  public boolean isPromptTooLong(JsonNode error) {
    return error.path("message").asText().contains("longer than the model's context length");
  }

  @Override
  public Optional<MessageContinuation> messageContinuation() {
    return CHATS;
  }
}
