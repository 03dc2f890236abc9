package io.sluice.worker.engine.dialect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.OpenAiRequest;
import java.util.List;
import java.util.Optional;

/** SGLang, as 0.5.23 is. It does not tell when its process started. */
final class SglangDialect implements ExtendedSampling {
  private static final Optional<MessageContinuation> CHATS =
      Optional.of(new ContinueFinalMessage());

  private static final List<String> TOO_LONG =
      List.of(
          "longer than the model's context length",
          "exceeds the maximum allowed length",
          "exceeds the model's maximum context length");

  private static final MetricNames METRICS =
      MetricNames.builder()
          .value(EngineMetric.RUNNING, "sglang:num_running_reqs")
          .value(EngineMetric.WAITING, "sglang:num_queue_reqs")
          .value(EngineMetric.KV_USAGE, "sglang:token_usage")
          .value(EngineMetric.KV_TOKENS, "sglang:max_total_num_tokens")
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

  /** Its {@code /health} generates a token, which takes seconds while prompts are computed. */
  @Override
  public String livenessPath() {
    return EngineIdentity.MODELS_PATH;
  }

  /** It also withholds reasoning until its end. */
  @Override
  public boolean mayWithhold(OpenAiRequest request) {
    return !request.get("stream_reasoning").asBoolean(true)
        || ExtendedSampling.super.mayWithhold(request);
  }

  @Override
  public MetricNames metrics() {
    return METRICS;
  }

  @Override
  public ObjectNode askForStream(ObjectNode body) {
    return ExtendedSampling.super.askForStream(body).put("continuous_usage_stats", true);
  }

  @Override
  public JsonNode error(JsonNode answer) {
    return answer.path("object").asText().equals("error")
        ? answer
        : ExtendedSampling.super.error(answer);
  }

  @Override
  public boolean isAbort(String finishReason) {
    return finishReason.equals("abort");
  }

  /**
   * SGLang has no code or parameter for this, only words. It does not lower the requested output,
   * so the last text also means a prompt that fits alone.
   */
  @Override
  public boolean isPromptTooLong(JsonNode error) {
    String message = error.path("message").asText();
    return TOO_LONG.stream().anyMatch(message::contains);
  }

  @Override
  public Optional<MessageContinuation> messageContinuation() {
    return CHATS;
  }
}
