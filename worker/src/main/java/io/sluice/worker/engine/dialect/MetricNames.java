package io.sluice.worker.engine.dialect;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The names of an engine's metrics in Prometheus' text format. A metric has its names in all
 * releases, the newest first. Some facts are in the labels of an info metric. Immutable.
 *
 * @param values the metrics whose value counts
 * @param kvBlocks info metrics whose two labels are the number of KV cache blocks and their size in
 *     tokens
 * @param loadedAdapters info metrics with a label that lists the loaded LoRA adapters, separated by
 *     commas
 */
public record MetricNames(
    Map<EngineMetric, List<String>> values,
    List<BlocksInfo> kvBlocks,
    List<AdaptersInfo> loadedAdapters) {
  /** An engine without metrics. */
  public static final MetricNames NONE = builder().build();

  /** An info metric with the size of the KV cache in two of its labels. */
  public record BlocksInfo(String name, String blocksLabel, String blockSizeLabel) {}

  /** An info metric with the loaded adapters in one of its labels. */
  public record AdaptersInfo(String name, String label) {}

  public MetricNames {
    values =
        values.entrySet().stream()
            .collect(
                Collectors.toUnmodifiableMap(
                    Map.Entry::getKey, names -> List.copyOf(names.getValue())));
    kvBlocks = List.copyOf(kvBlocks);
    loadedAdapters = List.copyOf(loadedAdapters);
  }

  static Builder builder() {
    return new Builder();
  }

  /** Returns the names of a metric, the newest first; empty if the engine does not have it. */
  public List<String> of(EngineMetric metric) {
    return values.getOrDefault(metric, List.of());
  }

  /** Returns all names. */
  public Set<String> all() {
    Set<String> all = new HashSet<>();
    values.values().forEach(all::addAll);
    kvBlocks.forEach(info -> all.add(info.name()));
    loadedAdapters.forEach(info -> all.add(info.name()));
    return all;
  }

  /** Collects names, in order of preference. */
  static final class Builder {
    private final Map<EngineMetric, List<String>> values = new EnumMap<>(EngineMetric.class);
    private final List<BlocksInfo> kvBlocks = new ArrayList<>();
    private final List<AdaptersInfo> loadedAdapters = new ArrayList<>();

    /** Adds a metric by its names, the newest first. */
    Builder value(EngineMetric metric, String... names) {
      return value(metric, List.of(names));
    }

    Builder kvBlocks(String name, String blocksLabel, String blockSizeLabel) {
      kvBlocks.add(new BlocksInfo(name, blocksLabel, blockSizeLabel));
      return this;
    }

    Builder loadedAdapters(String name, String label) {
      loadedAdapters.add(new AdaptersInfo(name, label));
      return this;
    }

    /** Adds all names of another engine, after those that are here. */
    Builder addAll(MetricNames other) {
      other.values().forEach(this::value);
      kvBlocks.addAll(other.kvBlocks());
      loadedAdapters.addAll(other.loadedAdapters());
      return this;
    }

    MetricNames build() {
      return new MetricNames(values, kvBlocks, loadedAdapters);
    }

    private Builder value(EngineMetric metric, List<String> names) {
      List<String> known = values.computeIfAbsent(metric, none -> new ArrayList<>());
      names.stream().filter(name -> !known.contains(name)).forEach(known::add);
      return this;
    }
  }
}
