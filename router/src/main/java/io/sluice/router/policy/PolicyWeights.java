package io.sluice.router.policy;

import java.util.EnumMap;
import java.util.Map;

/**
 * The relative weights of the scorers; 0 switches a scorer off. A loss of score counts like time:
 * against the default weight of {@code ttft}, a weight of 1 makes a worker with score 0 look about
 * five times as slow as it is, and a weight of 2 about twenty times. Immutable.
 *
 * @param changed the weights that differ from the defaults
 */
public record PolicyWeights(Map<PolicyWeight, Double> changed) {

  /** The defaults. */
  public static final PolicyWeights DEFAULTS = new PolicyWeights(Map.of());

  private static final double MOST = 1_000;

  /**
   * Keeps the entries that differ from the defaults.
   *
   * @throws IllegalArgumentException if a weight is not a number from 0 to 1000
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
   * Parses {@code name=weight,...}. Weights that are not named keep their defaults.
   *
   * @throws IllegalArgumentException if a name is unknown, or a weight is not a number from 0 to
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

  /** Returns the same weights, with one changed. */
  public PolicyWeights with(PolicyWeight weight, double value) {
    var all = new EnumMap<PolicyWeight, Double>(PolicyWeight.class);
    all.putAll(changed);
    all.put(weight, value);
    return new PolicyWeights(all);
  }

  /** Returns one of the weights. */
  public double of(PolicyWeight weight) {
    return changed.getOrDefault(weight, weight.defaultValue());
  }
}
