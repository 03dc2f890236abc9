package io.sluice.worker.health;

import io.sluice.worker.generation.EngineTally;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What an engine has counted since its start, or between two looks at it; what it does not count is
 * missing. Immutable.
 */
public record EngineTotals(Map<EngineCount, Double> counts) {
  /** Of engines without metrics. */
  static final EngineTotals UNKNOWN = new EngineTotals(Map.of());

  /** Copies the map. */
  public EngineTotals {
    counts = Map.copyOf(counts);
  }

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

    /** vLLM counts steps, each of which gives one token besides those that a draft guessed. */
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
    static final List<String> DRAFT = List.of("vllm:spec_decode_num_draft_tokens_total");
    static final List<String> ACCEPTED = List.of("vllm:spec_decode_num_accepted_tokens_total");

    static final Set<String> ALL =
        Stream.of(
                PROMPT,
                CACHED,
                COMPUTED,
                FIRST,
                FIRST_SECONDS,
                INTER,
                INTER_SECONDS,
                PREEMPTIONS,
                DRAFT,
                ACCEPTED)
            .collect(HashSet::new, Set::addAll, Set::addAll);

    private MetricNames() {}
  }

  /** Reads an exposition of any engine. */
  static EngineTotals parse(String metrics) {
    MetricsText text = MetricsText.parse(metrics, MetricNames.ALL);
    OptionalDouble cached = text.sum(MetricNames.CACHED);
    OptionalDouble accepted = text.sum(MetricNames.ACCEPTED);
    OptionalDouble prompt = plus(text.sum(MetricNames.PROMPT), -cached.orElse(0));
    var counts = new EnumMap<EngineCount, Double>(EngineCount.class);
    put(
        counts,
        EngineCount.PREFILL_TOKENS,
        prompt.isPresent() ? prompt : text.sum(MetricNames.COMPUTED));
    put(counts, EngineCount.CACHED_TOKENS, cached);
    put(counts, EngineCount.FIRST_TOKENS, text.sum(MetricNames.FIRST));
    put(counts, EngineCount.FIRST_TOKEN_SECONDS, text.sum(MetricNames.FIRST_SECONDS));
    put(counts, EngineCount.INTER_TOKENS, plus(text.sum(MetricNames.INTER), accepted.orElse(0)));
    put(counts, EngineCount.INTER_TOKEN_SECONDS, text.sum(MetricNames.INTER_SECONDS));
    put(counts, EngineCount.PREEMPTIONS, text.sum(MetricNames.PREEMPTIONS));
    put(counts, EngineCount.DRAFT_TOKENS, text.sum(MetricNames.DRAFT));
    put(counts, EngineCount.ACCEPTED_TOKENS, accepted);
    return new EngineTotals(counts);
  }

  /** What the worker itself has counted. */
  static EngineTotals of(EngineTally tally) {
    return new EngineTotals(
        Map.of(
            EngineCount.PREFILL_TOKENS, tally.promptTokens(),
            EngineCount.FIRST_TOKENS, tally.firstTokens(),
            EngineCount.FIRST_TOKEN_SECONDS, tally.firstTokenSeconds(),
            EngineCount.INTER_TOKENS, tally.interTokens(),
            EngineCount.INTER_TOKEN_SECONDS, tally.interTokenSeconds()));
  }

  /** Returns one of them; empty if the engine does not count it. */
  public OptionalDouble get(EngineCount count) {
    Double value = counts.get(count);
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }

  /** Returns one of them, 0 if the engine does not count it. */
  public double orZero(EngineCount count) {
    return counts.getOrDefault(count, 0.0);
  }

  /** What was added since; of a count that began anew nothing is known. */
  public EngineTotals since(EngineTotals before) {
    var added = new EnumMap<EngineCount, Double>(EngineCount.class);
    counts.forEach(
        (count, now) -> {
          Double then = before.counts.get(count);
          if (then != null && now >= then) {
            added.put(count, now - then);
          }
        });
    return new EngineTotals(added);
  }

  /** This, with what it lacks from another. */
  EngineTotals or(EngineTotals other) {
    var whole = new EnumMap<EngineCount, Double>(EngineCount.class);
    whole.putAll(other.counts);
    whole.putAll(counts);
    return new EngineTotals(whole);
  }

  /** The mean time between two tokens of a stream; empty if there were none. */
  public OptionalDouble interTokenMillis() {
    double tokens = orZero(EngineCount.INTER_TOKENS);
    OptionalDouble seconds = get(EngineCount.INTER_TOKEN_SECONDS);
    return tokens > 0 && seconds.isPresent()
        ? OptionalDouble.of(seconds.getAsDouble() * 1_000 / tokens)
        : OptionalDouble.empty();
  }

  private static OptionalDouble plus(OptionalDouble value, double more) {
    return value.isPresent() ? OptionalDouble.of(value.getAsDouble() + more) : value;
  }

  private static void put(
      Map<EngineCount, Double> counts, EngineCount count, OptionalDouble value) {
    value.ifPresent(found -> counts.put(count, found));
  }
}
