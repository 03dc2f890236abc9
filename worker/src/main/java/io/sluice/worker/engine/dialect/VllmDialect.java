package io.sluice.worker.engine.dialect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.OpenAiRequest;
import java.util.Optional;
import java.util.Set;

/** vLLM, including the metric names of older releases. */
final class VllmDialect implements ExtendedSampling {
  /** The {@code param} of errors about prompts that do not fit into the context. */
  private static final Set<String> LENGTH_PARAMS = Set.of("input_tokens", "input_text");

  private static final Set<String> ABORTS = Set.of("abort", "error");

  private static final Set<String> STATEFUL_OPTIONS =
      Set.of(
          "prompt_logprobs",
          "use_beam_search",
          "bad_words",
          "repetition_detection",
          "thinking_token_budget");

  private static final Optional<MessageContinuation> CHATS =
      Optional.of(new ContinueFinalMessage());
  private static final Optional<TokenIdSupport> TOKEN_IDS = Optional.of(new VllmTokenIds());
  private static final Optional<OutputLimitProbe> OUTPUT_LIMIT = Optional.of(new VllmOutputLimit());

  private static final MetricNames METRICS =
      MetricNames.builder()
          .value(EngineMetric.RUNNING, "vllm:num_requests_running")
          .value(EngineMetric.WAITING, "vllm:num_requests_waiting")
          .value(EngineMetric.KV_USAGE, "vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")
          .kvBlocks("vllm:cache_config_info", "num_gpu_blocks", "block_size")
          .loadedAdapters("vllm:lora_requests_info", "running_lora_adapters")
          .value(EngineMetric.START_SECONDS, "process_start_time_seconds")
          .value(EngineMetric.PROMPT_TOKENS, "vllm:prompt_tokens_total")
          .value(
              EngineMetric.CACHED_TOKENS,
              "vllm:prompt_tokens_cached_total",
              "vllm:prefix_cache_hits_total",
              "vllm:gpu_prefix_cache_hits_total")
          .value(EngineMetric.FIRST_TOKENS, "vllm:time_to_first_token_seconds_count")
          .value(EngineMetric.FIRST_TOKEN_SECONDS, "vllm:time_to_first_token_seconds_sum")
          .value(
              EngineMetric.INTER_TOKENS,
              "vllm:inter_token_latency_seconds_count",
              "vllm:time_per_output_token_seconds_count")
          .value(
              EngineMetric.INTER_TOKEN_SECONDS,
              "vllm:inter_token_latency_seconds_sum",
              "vllm:time_per_output_token_seconds_sum")
          .value(EngineMetric.PREEMPTIONS, "vllm:num_preemptions_total")
          .value(EngineMetric.DRAFT_TOKENS, "vllm:spec_decode_num_draft_tokens_total")
          .value(EngineMetric.ACCEPTED_TOKENS, "vllm:spec_decode_num_accepted_tokens_total")
          .build();

  @Override
  public String name() {
    return "vllm";
  }

  @Override
  public boolean isStateful(OpenAiRequest request) {
    return STATEFUL_OPTIONS.stream().anyMatch(request::isSet)
        || hidesReasoning(request)
        || ExtendedSampling.super.isStateful(request);
  }

  @Override
  public boolean hasEarlyHead() {
    return true;
  }

  /** It also withholds reasoning that the caller does not want to see. */
  @Override
  public boolean mayWithhold(OpenAiRequest request) {
    return hidesReasoning(request) || ExtendedSampling.super.mayWithhold(request);
  }

  static boolean hidesReasoning(OpenAiRequest request) {
    return !request.get("include_reasoning").asBoolean(true);
  }

  @Override
  public Set<String> truncatingOptions() {
    return Set.of("truncate_prompt_tokens");
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
  public boolean isAbort(String finishReason) {
    return ABORTS.contains(finishReason);
  }

  @Override
  public boolean isPromptTooLong(JsonNode error) {
    return LENGTH_PARAMS.contains(error.path("param").asText());
  }

  /** A code in words means that something else about the limit is wrong. */
  @Override
  public boolean isLimitRefused(JsonNode error) {
    return error.path("param").asText().equals("max_tokens") && !error.path("code").isTextual();
  }

  @Override
  public Optional<MessageContinuation> messageContinuation() {
    return CHATS;
  }

  @Override
  public Optional<TokenIdSupport> tokenIds() {
    return TOKEN_IDS;
  }

  @Override
  public Optional<OutputLimitProbe> outputLimit() {
    return OUTPUT_LIMIT;
  }
}
