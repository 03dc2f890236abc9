package io.sluice.router.policy;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The weights that decide the choice of a worker, by their names in {@code --weights}. A new scorer
 * is a class and a line here.
 */
public enum PolicyWeight {
  TTFT(6, "predicted time to the first token", PredictedTtft::of),
  CONTEXT(
      4,
      "the prompt would still fit if it were a tenth longer than estimated",
      new Scorers.ContextMargin()),
  TIER(2, "rank of the worker's tier among those that may serve the request", new Scorers.Tier()),
  PREFIX(
      0.1,
      "share of the prompt that the engine has cached, beyond the time that this saves",
      new Scorers.Prefix()),
  FIT(0.2, "free memory", new Scorers.Fit()),
  LOAD(0.5, "free slots", new Scorers.Load()),
  ADAPTER(1, "the LoRA adapter is in the GPU's memory", new Scorers.Adapter()),
  DRAFT(0.5, "the draft model suits the text", new Scorers.Draft()),
  STREAMS(
      0.02,
      "within `ttft`: what 1 ms of delay to each running stream counts against 1 ms of the request's own"),
  SPREAD(0.1, "how far the choice spreads over workers that are nearly as good, per active router"),
  PATIENCE(
      1,
      "how long a request waits for room at a worker that has its prompt cached, against what"
          + " computing it elsewhere costs");

  private final double defaultValue;
  private final String meaning;

  @SuppressWarnings("ImmutableEnumChecker") // makers and scorers have no state
  private final Optional<Function<PolicyWeights, Scorer>> scorer;

  private final String label = name().toLowerCase(Locale.ROOT);

  PolicyWeight(
      double defaultValue, String meaning, Optional<Function<PolicyWeights, Scorer>> scorer) {
    this.defaultValue = defaultValue;
    this.meaning = meaning;
    this.scorer = scorer;
  }

  /** A scorer that depends on other weights. */
  PolicyWeight(double defaultValue, String meaning, Function<PolicyWeights, Scorer> scorer) {
    this(defaultValue, meaning, Optional.of(scorer));
  }

  PolicyWeight(double defaultValue, String meaning, Scorer scorer) {
    this(defaultValue, meaning, Optional.of(any -> scorer));
  }

  /** A weight without a scorer. */
  PolicyWeight(double defaultValue, String meaning) {
    this(defaultValue, meaning, Optional.empty());
  }

  /** Returns its name in settings and explanations. */
  public String label() {
    return label;
  }

  /** Returns the value if nothing is configured. */
  public double defaultValue() {
    return defaultValue;
  }

  /** Returns one line for documentation and explanations. */
  public String meaning() {
    return meaning;
  }

  /** Returns the scorer with this weight, if there is one. */
  Optional<Scorer> scorer(PolicyWeights weights) {
    return scorer.map(maker -> maker.apply(weights));
  }

  /**
   * Parses a name.
   *
   * @throws IllegalArgumentException if there is no such weight; the message lists all
   */
  static PolicyWeight parse(String label) {
    return Arrays.stream(values())
        .filter(weight -> weight.label.equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown weight '%s'; known weights: %s"
                        .formatted(
                            label,
                            Arrays.stream(values())
                                .map(PolicyWeight::label)
                                .collect(Collectors.joining(", ")))));
  }
}
