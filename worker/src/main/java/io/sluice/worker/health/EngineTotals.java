package io.sluice.worker.health;

import io.sluice.worker.generation.EngineTally;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What an engine has counted since its start, or between two looks at it; what it does not count is
 * empty. Immutable.
 *
 * @param prefillTokens prompt tokens computed, cached ones not counted; added at the first token
 * @param cachedTokens prompt tokens that its prefix cache held, and that were not computed
 * @param firstTokens requests that had their first token
 * @param firstTokenSeconds their waits for it, added up
 * @param interTokens tokens after the first ones
 * @param interTokenSeconds the waits for them, added up
 * @param preemptions requests that lost their KV cache to others
 */
public record EngineTotals(
    OptionalDouble prefillTokens,
    OptionalDouble cachedTokens,
    OptionalDouble firstTokens,
    OptionalDouble firstTokenSeconds,
    OptionalDouble interTokens,
    OptionalDouble interTokenSeconds,
    OptionalDouble preemptions) {
  /** Of engines without metrics. */
  static final EngineTotals UNKNOWN = MetricNames.read(MetricsText.parse("", Set.of()));

  /** The names of each, the newest first; of engines that speak Prometheus' language. */
  private static final class MetricNames {
    static final List<String> PROMPT =
        List.of("vllm:prompt_tokens_total", "sglang:prompt_tokens_total");
    static final List<String> CACHED =
        List.of(
            "vllm:prompt_tokens_cached_total",
            "vllm:prefix_cache_hits_total",
            "vllm:gpu_prefix_cache_hits_total",
            "sglang:cached_tokens_total",
            "llamacpp:prompt_tokens_cached_total");

    /** It counts only what it computes. */
    static final List<String> COMPUTED = List.of("llamacpp:prompt_tokens_total");

    static final List<String> FIRST =
        List.of(
            "vllm:time_to_first_token_seconds_count", "sglang:time_to_first_token_seconds_count");
    static final List<String> FIRST_SECONDS =
        List.of("vllm:time_to_first_token_seconds_sum", "sglang:time_to_first_token_seconds_sum");
    static final List<String> INTER =
        List.of(
            "vllm:inter_token_latency_seconds_count",
            "vllm:time_per_output_token_seconds_count",
            "sglang:inter_token_latency_seconds_count",
            "sglang:time_per_output_token_seconds_count",
            "llamacpp:tokens_predicted_total");
    static final List<String> INTER_SECONDS =
        List.of(
            "vllm:inter_token_latency_seconds_sum",
            "vllm:time_per_output_token_seconds_sum",
            "sglang:inter_token_latency_seconds_sum",
            "sglang:time_per_output_token_seconds_sum",
            "llamacpp:tokens_predicted_seconds_total");
    static final List<String> PREEMPTIONS = List.of("vllm:num_preemptions_total");

    static final Set<String> ALL =
        Stream.of(PROMPT, CACHED, COMPUTED, FIRST, FIRST_SECONDS, INTER, INTER_SECONDS, PREEMPTIONS)
            .collect(HashSet::new, Set::addAll, Set::addAll);

    private MetricNames() {}

    static EngineTotals read(MetricsText text) {
      OptionalDouble prompt = text.sum(PROMPT);
      return new EngineTotals(
          prompt.isPresent()
              ? OptionalDouble.of(prompt.getAsDouble() - text.sum(CACHED).orElse(0))
              : text.sum(COMPUTED),
          text.sum(CACHED),
          text.sum(FIRST),
          text.sum(FIRST_SECONDS),
          text.sum(INTER),
          text.sum(INTER_SECONDS),
          text.sum(PREEMPTIONS));
    }
  }

  /** Reads an exposition of any engine. */
  static EngineTotals parse(String metrics) {
    return MetricNames.read(MetricsText.parse(metrics, MetricNames.ALL));
  }

  /** What the worker itself has counted. */
  static EngineTotals of(EngineTally tally) {
    return new EngineTotals(
        OptionalDouble.of(tally.promptTokens()),
        OptionalDouble.empty(),
        OptionalDouble.of(tally.firstTokens()),
        OptionalDouble.of(tally.firstTokenSeconds()),
        OptionalDouble.of(tally.interTokens()),
        OptionalDouble.of(tally.interTokenSeconds()),
        OptionalDouble.empty());
  }

  /** What was added since; of a count that began anew nothing is known. */
  public EngineTotals since(EngineTotals before) {
    return new EngineTotals(
        added(before.prefillTokens, prefillTokens),
        added(before.cachedTokens, cachedTokens),
        added(before.firstTokens, firstTokens),
        added(before.firstTokenSeconds, firstTokenSeconds),
        added(before.interTokens, interTokens),
        added(before.interTokenSeconds, interTokenSeconds),
        added(before.preemptions, preemptions));
  }

  /** This, with what it lacks from another. */
  EngineTotals or(EngineTotals other) {
    return new EngineTotals(
        first(prefillTokens, other.prefillTokens),
        first(cachedTokens, other.cachedTokens),
        first(firstTokens, other.firstTokens),
        first(firstTokenSeconds, other.firstTokenSeconds),
        first(interTokens, other.interTokens),
        first(interTokenSeconds, other.interTokenSeconds),
        first(preemptions, other.preemptions));
  }

  /** The mean time between two tokens of a stream; empty if there were none. */
  public OptionalDouble interTokenMillis() {
    double tokens = interTokens.orElse(0);
    return tokens > 0 && interTokenSeconds.isPresent()
        ? OptionalDouble.of(interTokenSeconds.getAsDouble() * 1_000 / tokens)
        : OptionalDouble.empty();
  }

  private static OptionalDouble added(OptionalDouble before, OptionalDouble now) {
    return before.isPresent() && now.isPresent() && now.getAsDouble() >= before.getAsDouble()
        ? OptionalDouble.of(now.getAsDouble() - before.getAsDouble())
        : OptionalDouble.empty();
  }

  private static OptionalDouble first(OptionalDouble one, OptionalDouble other) {
    return one.isPresent() ? one : other;
  }
}
