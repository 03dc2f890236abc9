package io.sluice.worker.watchdog;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * How long something takes an engine of its first speed at each load: the median of the first
 * {@value #SAMPLES} windows of a load. For one thread.
 */
final class Baseline {
  /** Windows from which the time at a load is known. */
  static final int SAMPLES = 10;

  private static final int MOST_LEVELS = 1_000;

  private final Map<LoadLevel, List<Double>> learning = new HashMap<>();
  private final Map<LoadLevel, Double> known = new HashMap<>();

  /**
   * Compares a time with what is expected at its load, and learns from it as long as the load's own
   * time is not known.
   *
   * @param slowdown how much slower than at its start the engine is now by the loads that are
   *     known; a load that comes later is learned as if the engine had its first speed, as a chain
   *     index links goods that come later
   * @return the time as a multiple of the expected one; empty if nothing is expected yet
   */
  OptionalDouble compare(LoadLevel level, double millis, double slowdown) {
    OptionalDouble expected = expected(level);
    if (!known.containsKey(level)) {
      learn(level, millis / Math.max(1, slowdown));
    }
    return expected.isPresent() && expected.getAsDouble() > 0
        ? OptionalDouble.of(millis / expected.getAsDouble())
        : OptionalDouble.empty();
  }

  /**
   * Returns the least time of this load and of those above it. A load that came only when the
   * engine was slower already is not trusted beyond that.
   */
  private OptionalDouble expected(LoadLevel level) {
    return known.entrySet().stream()
        .filter(higher -> level.isAtMost(higher.getKey()))
        .mapToDouble(Map.Entry::getValue)
        .min();
  }

  private void learn(LoadLevel level, double millis) {
    if (!learning.containsKey(level) && learning.size() + known.size() >= MOST_LEVELS) {
      return;
    }
    List<Double> samples = learning.computeIfAbsent(level, any -> new ArrayList<>());
    samples.add(millis);
    if (samples.size() == SAMPLES) {
      samples.sort(null);
      known.put(level, samples.get(SAMPLES / 2));
      learning.remove(level);
    }
  }
}
