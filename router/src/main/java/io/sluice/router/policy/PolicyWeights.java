package io.sluice.router.policy;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How much each scorer counts, relative to the others; 0 switches it off. What a scorer takes off
 * counts like time: against the default weight of {@code ttft}, a weight of 1 makes a worker that
 * scores 0 look about five times as slow as it is, and a weight of 2 some twenty times.
 *
 * @param ttft predicted time to the first token
 * @param context whether the prompt would still fit were it longer than estimated
 * @param tier rank of the worker's tier among those that may serve the request
 * @param prefix share of the prompt in the prefix cache, beyond what it saves in time
 * @param fit free memory
 * @param load free slots
 * @param adapter whether the adapter is in the GPU's memory
 * @param draft whether the draft model suits the text
 * @param streams part of {@code ttft}: what a millisecond of delay to a running stream counts,
 *     against one of the request's own
 * @param spread how far the choice is spread over workers that are nearly as good: 1 means that a
 *     worker on which the request would take twice its own time is still chosen now and then
 */
public record PolicyWeights(
    double ttft,
    double context,
    double tier,
    double prefix,
    double fit,
    double load,
    double adapter,
    double draft,
    double streams,
    double spread) {

  /** What is used where nothing is configured. */
  public static final PolicyWeights DEFAULTS =
      new PolicyWeights(6, 4, 2, 0.1, 0.2, 0.5, 1, 0.5, 0.02, 0.1);

  /** Negative or infinite weights are refused. */
  public PolicyWeights {
    check(ttft, context, tier, prefix, fit, load, adapter, draft, streams, spread);
  }

  private static void check(double... weights) {
    for (double weight : weights) {
      if (!(weight >= 0 && weight <= 1_000)) {
        throw new IllegalArgumentException("a weight must be between 0 and 1000, not " + weight);
      }
    }
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
      weights = weights.with(parts[0].strip(), number(parts[0].strip(), parts[1].strip()));
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

  /**
   * The same, but for one weight.
   *
   * @throws IllegalArgumentException if there is no such name
   */
  public PolicyWeights with(String name, double weight) {
    Map<String, Double> all = byName();
    if (all.replace(name, weight) == null) {
      throw new IllegalArgumentException(
          "there is no weight '%s'; there are: %s"
              .formatted(name, String.join(", ", all.keySet())));
    }
    double[] values = all.values().stream().mapToDouble(Double::doubleValue).toArray();
    return new PolicyWeights(
        values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7],
        values[8], values[9]);
  }

  /** All weights, in the order of the components. */
  Map<String, Double> byName() {
    Map<String, Double> all = new LinkedHashMap<>();
    all.put("ttft", ttft);
    all.put("context", context);
    all.put("tier", tier);
    all.put("prefix", prefix);
    all.put("fit", fit);
    all.put("load", load);
    all.put("adapter", adapter);
    all.put("draft", draft);
    all.put("streams", streams);
    all.put("spread", spread);
    return all;
  }
}
