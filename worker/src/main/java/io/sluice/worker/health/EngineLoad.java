package io.sluice.worker.health;

import io.sluice.worker.engine.dialect.EngineDialects;
import io.sluice.worker.engine.dialect.EngineMetric;
import io.sluice.worker.engine.dialect.MetricNames;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/**
 * The present load of an engine, from its metrics.
 *
 * @param kvUsage use of the KV cache, 0 to 1, as the mean over its engines; empty if it is not
 *     reported
 * @param running requests in its batches
 * @param waiting requests in its queues
 * @param kvTokens capacity of its KV caches in tokens; 0 if it is not reported
 * @param loadedAdapters LoRA adapters that are loaded
 * @param startSeconds start of its process in Unix time; empty if it is not reported
 */
public record EngineLoad(
    OptionalDouble kvUsage,
    int running,
    int waiting,
    long kvTokens,
    List<String> loadedAdapters,
    OptionalDouble startSeconds) {
  public EngineLoad {
    loadedAdapters = List.copyOf(loadedAdapters);
  }

  /** The load of engines without metrics. */
  public static final EngineLoad UNKNOWN =
      new EngineLoad(OptionalDouble.empty(), 0, 0, 0, List.of(), OptionalDouble.empty());

  private static final MetricNames METRICS = EngineDialects.metrics();

  /** Reads the metrics of any engine; what is missing is unknown. */
  static EngineLoad of(MetricsText text) {
    long blocks =
        METRICS.kvBlocks().stream()
            .mapToLong(
                info ->
                    (long)
                        text.sumOfProducts(info.name(), info.blocksLabel(), info.blockSizeLabel()))
            .sum();
    return new EngineLoad(
        text.mean(METRICS.of(EngineMetric.KV_USAGE)),
        (int) sum(text, EngineMetric.RUNNING).orElse(0),
        (int) sum(text, EngineMetric.WAITING).orElse(0),
        blocks > 0 ? blocks : (long) sum(text, EngineMetric.KV_TOKENS).orElse(0),
        METRICS.loadedAdapters().stream()
            .flatMap(info -> adapters(text.newestLabel(info.name(), info.label())).stream())
            .toList(),
        sum(text, EngineMetric.START_SECONDS));
  }

  private static OptionalDouble sum(MetricsText text, EngineMetric metric) {
    return text.sum(METRICS.of(metric));
  }

  private static List<String> adapters(String joined) {
    return Arrays.stream(joined.split(","))
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .toList();
  }
}
