package io.sluice.router.policy;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** What the names in the reasons of a {@link Decision} mean, in one line each. */
public final class Vocabulary {
  private static final String SAMPLED =
      "the worker is in the sample of a large fleet that is examined";

  private Vocabulary() {}

  /** Returns what each scorer looks at, by its name. */
  public static Map<String, String> scorers() {
    return Arrays.stream(PolicyWeight.values())
        .filter(weight -> weight.scorer(PolicyWeights.DEFAULTS).isPresent())
        .collect(Collectors.toUnmodifiableMap(PolicyWeight::label, PolicyWeight::meaning));
  }

  /**
   * Returns what is true of a worker that a filter admits, by the name of the filter. Names that
   * only older decisions contain are included.
   */
  public static Map<String, String> filters() {
    Map<String, String> meanings = new HashMap<>(Map.of(Decision.SAMPLE, SAMPLED));
    meanings.put(Filters.RESERVED_IN_OLD_DECISIONS, Filters.RESERVED.meaning());
    Filters.ALL.forEach(filter -> meanings.put(filter.reason(), filter.meaning()));
    return Map.copyOf(meanings);
  }
}
