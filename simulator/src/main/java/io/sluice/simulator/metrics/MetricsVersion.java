package io.sluice.simulator.metrics;

import io.sluice.simulator.release.Release;
import java.util.Map;
import java.util.Optional;

/**
 * The vLLM release that determines the metric names of a page. Names that are not listed here are
 * the same in every version.
 */
record MetricsVersion(Release release) {

  /** The minor version that introduced a family. */
  private static final Map<String, Integer> SINCE =
      Map.of(
          "vllm:admission_rejections", 32,
          "vllm:prompt_tokens_cached_by_source", 32,
          "vllm:request_num_preemptions", 30,
          "vllm:estimated_flops_per_gpu", 30,
          "vllm:estimated_read_bytes_per_gpu", 30,
          "vllm:estimated_write_bytes_per_gpu", 30);

  private static final Map<String, String> NAMES_BEFORE_0_11 =
      Map.of(
          "vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc",
          "vllm:prefix_cache_queries", "vllm:gpu_prefix_cache_queries",
          "vllm:prefix_cache_hits", "vllm:gpu_prefix_cache_hits");
  private static final Map<String, String> NAMES_BEFORE_0_12 =
      Map.of("vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds");

  /**
   * Parses a version such as {@code 0.32.0}.
   *
   * @throws IllegalArgumentException if it is not a version
   */
  static MetricsVersion of(String version) {
    return new MetricsVersion(Release.of(version));
  }

  /** Returns the family as this version exposes it, if it does. */
  Optional<Definition> expose(Definition definition) {
    String name = definition.name();
    if (release.before(SINCE.getOrDefault(name, 0))) {
      return Optional.empty();
    }
    if (release.before(11) && NAMES_BEFORE_0_11.containsKey(name)) {
      return Optional.of(definition.named(NAMES_BEFORE_0_11.getOrDefault(name, name)));
    }
    if (release.before(12) && NAMES_BEFORE_0_12.containsKey(name)) {
      return Optional.of(definition.named(NAMES_BEFORE_0_12.getOrDefault(name, name)));
    }
    return Optional.of(definition);
  }
}
