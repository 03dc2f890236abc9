package io.sluice.router.parse;

import io.sluice.common.topic.PoolTopics;
import io.sluice.router.catalog.FallbackModels;
import io.sluice.router.classify.TierObjectives;
import java.time.Duration;

/**
 * What holds for requests that do not say otherwise, and how much time they may ask for.
 *
 * @param fallbacks which model stands in for which
 * @param objectives how soon requests want their first token
 * @param assumedOutputTokens the output of requests that do not limit it
 * @param longestDeadline longer deadlines are refused, because the pool does not keep records for
 *     as long
 */
public record PoolRules(
    FallbackModels fallbacks,
    TierObjectives objectives,
    int assumedOutputTokens,
    Duration longestDeadline) {

  /** The rules of a pool that sets none. */
  public static final PoolRules STANDARD =
      new PoolRules(FallbackModels.NONE, TierObjectives.NONE, 512, PoolTopics.LONGEST_DEADLINE);
}
