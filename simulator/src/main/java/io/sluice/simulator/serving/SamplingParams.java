package io.sluice.simulator.serving;

import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * How to generate.
 *
 * @param n choices per prompt
 * @param maxTokens the most output tokens; absent for the rest of the context
 * @param minTokens how many tokens come before any stop condition holds
 * @param ignoreEos whether to go on past the natural end
 * @param stopTokenIds tokens that end a choice
 * @param stops strings that end a choice
 * @param includeStop whether the stop string stays in the text
 */
public record SamplingParams(
    int n,
    OptionalInt maxTokens,
    int minTokens,
    boolean ignoreEos,
    Set<Integer> stopTokenIds,
    List<String> stops,
    boolean includeStop) {

  /** Copies the collections. */
  public SamplingParams {
    stopTokenIds = Set.copyOf(stopTokenIds);
    stops = List.copyOf(stops);
  }
}
