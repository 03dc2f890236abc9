package io.sluice.router.policy;

import java.util.EnumMap;
import java.util.Map;

/**
 * How much each scorer counts, relative to the others; 0 switches it off. What a scorer takes off
 * counts like time: against the default weight of {@code ttft}, a weight of 1 makes a worker that
 * scores 0 look about five times as slow as it is, and a weight of 2 some twenty times. Immutable.
 *
 * @param changed those that are not the default
 */
public record PolicyWeights(Map<PolicyWeight, Double> changed) {

  /** What is used where nothing is configured. */
  public static final PolicyWeights DEFAULTS = new PolicyWeights(Map.of());

  private static final double MOST = 1_000;

  /**
   * Keeps of the map what differs from the defaults.
   *
   * @throws IllegalArgumentException if a weight is no number from 0 to 1000
   */
  public PolicyWeights {
    for (double weight : changed.values()) {
      if (!(weight >= 0 && weight <= MOST)) {
        throw new IllegalArgumentException("a weight must be between 0 and 1000, not " + weight);
      }
    }
    var different = new EnumMap<PolicyWeight, Double>(PolicyWeight.class);
    changed.forEach(
        (weight, value) -> {
          if (value != weight.defaultValue()) {
            different.put(weight, value);
          }
        });
    changed = Map.copyOf(different);
  }

  /**
   * Reads {@code name=weight,...}; what is not named keeps its default.
   *
   * @throws IllegalArgumentException if a name is not known, or a weight is no number from 0 to
   *     1000
   */
  public static PolicyWeights parse(String text) {
    PolicyWeights weights = DEFAULTS;
    for (String entry : text.isBlank() ? new String[0] : text.split(",", -1)) {
      String[] parts = entry.strip().split("=", -1);
      if (parts.length != 2) {
        throw new IllegalArgumentException(
            "weights are given as name=number,..., not '%s'".formatted(entry.strip()));
      }
      String name = parts[0].strip();
      weights = weights.with(PolicyWeight.parse(name), number(name, parts[1].strip()));
    }
    return weights;
  }

  private static double number(String name, String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "the weight of %s must be a number, not '%s'".formatted(name, text), e);
    }
  }

  /** The same, but for one weight. */
  public PolicyWeights with(PolicyWeight weight, double value) {
    var all = new EnumMap<PolicyWeight, Double>(PolicyWeight.class);
    all.putAll(changed);
    all.put(weight, value);
    return new PolicyWeights(all);
  }

  /** One of them. */
  public double of(PolicyWeight weight) {
    return changed.getOrDefault(weight, weight.defaultValue());
  }
}
