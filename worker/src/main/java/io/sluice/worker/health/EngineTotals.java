package io.sluice.worker.health;

import io.sluice.worker.engine.dialect.EngineDialects;
import io.sluice.worker.engine.dialect.EngineMetric;
import io.sluice.worker.engine.dialect.MetricNames;
import io.sluice.worker.generation.EngineTally;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * An engine's counters since its start, or their growth between two probes. Counters that it does
 * not have are missing. Immutable.
 */
public record EngineTotals(Map<EngineCount, Double> counts) {
  /** No counters, as of engines without metrics. */
  public static final EngineTotals UNKNOWN = new EngineTotals(Map.of());

  /** Copies the map. */
  public EngineTotals {
    counts = Map.copyOf(counts);
  }

  private static final MetricNames METRICS = EngineDialects.metrics();

  /** Reads the metrics of any engine. */
  static EngineTotals of(MetricsText text) {
    OptionalDouble cached = sum(text, EngineMetric.CACHED_TOKENS);
    OptionalDouble accepted = sum(text, EngineMetric.ACCEPTED_TOKENS);
    OptionalDouble prompt = plus(sum(text, EngineMetric.PROMPT_TOKENS), -cached.orElse(0));
    var counts = new EnumMap<EngineCount, Double>(EngineCount.class);
    put(
        counts,
        EngineCount.PREFILL_TOKENS,
        prompt.isPresent() ? prompt : sum(text, EngineMetric.COMPUTED_TOKENS));
    put(counts, EngineCount.CACHED_TOKENS, cached);
    put(counts, EngineCount.FIRST_TOKENS, sum(text, EngineMetric.FIRST_TOKENS));
    put(counts, EngineCount.FIRST_TOKEN_SECONDS, sum(text, EngineMetric.FIRST_TOKEN_SECONDS));
    // A step yields one token in addition to the accepted draft tokens.
    put(
        counts,
        EngineCount.INTER_TOKENS,
        plus(sum(text, EngineMetric.INTER_TOKENS), accepted.orElse(0)));
    put(counts, EngineCount.INTER_TOKEN_SECONDS, sum(text, EngineMetric.INTER_TOKEN_SECONDS));
    put(counts, EngineCount.PREEMPTIONS, sum(text, EngineMetric.PREEMPTIONS));
    put(counts, EngineCount.DRAFT_TOKENS, sum(text, EngineMetric.DRAFT_TOKENS));
    put(counts, EngineCount.ACCEPTED_TOKENS, accepted);
    return new EngineTotals(counts);
  }

  /** Returns the worker's own counts. */
  static EngineTotals of(EngineTally tally) {
    return new EngineTotals(
        Map.of(
            EngineCount.PREFILL_TOKENS, tally.promptTokens(),
            EngineCount.FIRST_TOKENS, tally.firstTokens(),
            EngineCount.FIRST_TOKEN_SECONDS, tally.firstTokenSeconds(),
            EngineCount.INTER_TOKENS, tally.interTokens(),
            EngineCount.INTER_TOKEN_SECONDS, tally.interTokenSeconds()));
  }

  /** Returns one counter; empty if the engine does not have it. */
  public OptionalDouble get(EngineCount count) {
    Double value = counts.get(count);
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }

  /** Returns one counter; 0 if the engine does not have it. */
  public double orZero(EngineCount count) {
    return counts.getOrDefault(count, 0.0);
  }

  /** Returns the growth since an earlier reading. Counters that were reset are missing. */
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

  /** Returns the sum of two growths. */
  public EngineTotals plus(EngineTotals more) {
    var sum = new EnumMap<EngineCount, Double>(EngineCount.class);
    sum.putAll(counts);
    more.counts.forEach((count, growth) -> sum.merge(count, growth, Double::sum));
    return new EngineTotals(sum);
  }

  /** These counters, with missing ones taken from others. */
  EngineTotals or(EngineTotals other) {
    var whole = new EnumMap<EngineCount, Double>(EngineCount.class);
    whole.putAll(other.counts);
    whole.putAll(counts);
    return new EngineTotals(whole);
  }

  /** Returns the mean time between two tokens of a stream; empty if there were none. */
  public OptionalDouble interTokenMillis() {
    double tokens = orZero(EngineCount.INTER_TOKENS);
    OptionalDouble seconds = get(EngineCount.INTER_TOKEN_SECONDS);
    return tokens > 0 && seconds.isPresent()
        ? OptionalDouble.of(seconds.getAsDouble() * 1_000 / tokens)
        : OptionalDouble.empty();
  }

  private static OptionalDouble sum(MetricsText text, EngineMetric metric) {
    return text.sum(METRICS.of(metric));
  }

  private static OptionalDouble plus(OptionalDouble value, double more) {
    return value.isPresent() ? OptionalDouble.of(value.getAsDouble() + more) : value;
  }

  private static void put(
      Map<EngineCount, Double> counts, EngineCount count, OptionalDouble value) {
    value.ifPresent(found -> counts.put(count, found));
  }
}
