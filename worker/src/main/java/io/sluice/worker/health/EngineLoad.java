package io.sluice.worker.health;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * What an engine's metrics say of it now.
 *
 * @param kvUsage 0 to 1, the mean over its engines; empty if it does not say
 * @param running requests in its batches
 * @param waiting requests in its queues
 * @param kvTokens what its KV caches hold, in tokens; 0 if it does not say
 * @param loadedAdapters LoRA adapters that it computes with
 * @param startSeconds when its process started, Unix time; empty if it does not say
 */
record EngineLoad(
    OptionalDouble kvUsage,
    int running,
    int waiting,
    long kvTokens,
    List<String> loadedAdapters,
    OptionalDouble startSeconds) {
  /** Of engines without metrics. */
  static final EngineLoad UNKNOWN =
      new EngineLoad(OptionalDouble.empty(), 0, 0, 0, List.of(), OptionalDouble.empty());

  private static final List<String> RUNNING =
      List.of(
          "vllm:num_requests_running", "sglang:num_running_reqs", "llamacpp:requests_processing");
  private static final List<String> WAITING =
      List.of("vllm:num_requests_waiting", "sglang:num_queue_reqs", "llamacpp:requests_deferred");
  private static final List<String> KV_USAGE =
      List.of(
          "vllm:kv_cache_usage_perc",
          "vllm:gpu_cache_usage_perc",
          "sglang:token_usage",
          "llamacpp:kv_cache_usage_ratio");
  private static final List<String> STARTED = List.of("process_start_time_seconds");
  private static final List<String> KV_TOKENS = List.of("sglang:max_total_num_tokens");
  private static final String CACHE_CONFIG = "vllm:cache_config_info";

  private static final String LORA_INFO = "vllm:lora_requests_info";

  private static final Set<String> NAMES = names();

  /** Reads an exposition of any engine; what it lacks is unknown. */
  static EngineLoad parse(String metrics) {
    MetricsText text = MetricsText.parse(metrics, NAMES);
    long blocks = (long) text.sumOfProducts(CACHE_CONFIG, "num_gpu_blocks", "block_size");
    return new EngineLoad(
        text.mean(KV_USAGE),
        (int) text.sum(RUNNING).orElse(0),
        (int) text.sum(WAITING).orElse(0),
        blocks > 0 ? blocks : (long) text.sum(KV_TOKENS).orElse(0),
        adapters(text.newestLabel(LORA_INFO, "running_lora_adapters")),
        text.sum(STARTED));
  }

  private static List<String> adapters(String joined) {
    return Arrays.stream(joined.split(","))
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .toList();
  }

  private static Set<String> names() {
    Set<String> names = new HashSet<>(Set.of(CACHE_CONFIG, LORA_INFO));
    List.of(RUNNING, WAITING, KV_USAGE, KV_TOKENS, STARTED).forEach(names::addAll);
    return Set.copyOf(names);
  }
}
