package io.sluice.simulator.engine;

import io.sluice.simulator.text.TokenIds;
import java.util.Set;

/**
 * One sequence to generate.
 *
 * @param id the id, unique among the live sequences of an engine
 * @param prompt the tokens of the prompt, at least one
 * @param maxTokens the largest number of output tokens, at least 1; includes the end-of-text token
 * @param endTokens the ids that end the sequence: the end of text and any stop tokens
 * @param minTokens the number of tokens before {@code endTokens} end the sequence
 * @param source the future tokens
 * @param priority the priority; a lower number goes first under {@link SchedulingPolicy#PRIORITY}
 * @param cacheScope which cached blocks it can share
 * @param repetition the repetition that ends it
 */
public record SequenceRequest(
    long id,
    TokenIds prompt,
    int maxTokens,
    Set<Integer> endTokens,
    int minTokens,
    TokenSource source,
    int priority,
    CacheScope cacheScope,
    RepetitionRule repetition) {

  /** Validates the limits. */
  public SequenceRequest {
    if (prompt.size() == 0) {
      throw new IllegalArgumentException("A sequence needs at least one prompt token.");
    }
    if (maxTokens < 1) {
      throw new IllegalArgumentException("max_tokens must be at least 1, got " + maxTokens + ".");
    }
    endTokens = Set.copyOf(endTokens);
  }

  /** A request of priority 0 that shares the cache of the base model and may repeat itself. */
  public SequenceRequest(
      long id,
      TokenIds prompt,
      int maxTokens,
      Set<Integer> endTokens,
      int minTokens,
      TokenSource source) {
    this(
        id,
        prompt,
        maxTokens,
        endTokens,
        minTokens,
        source,
        0,
        CacheScope.SHARED,
        RepetitionRule.NONE);
  }
}
