package io.sluice.simulator.serving;

import io.sluice.simulator.engine.CacheScope;
import io.sluice.simulator.engine.RepetitionRule;
import io.sluice.simulator.text.TokenRules;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The parameters of generation.
 *
 * @param n the number of choices per prompt
 * @param maxTokens the largest number of output tokens; empty for the rest of the context
 * @param minTokens the number of tokens before any stop condition applies
 * @param ignoreEos whether to continue after the natural end
 * @param stopTokenIds the tokens that end a choice
 * @param stops the strings that end a choice
 * @param includeStop whether the stop string is part of the text
 * @param priority the priority; with priority scheduling, a lower number goes first
 * @param cacheScope the LoRA adapter, the cache salt, and whether cached blocks may be used
 * @param tokenRules which tokens may be chosen
 * @param fixedText what the model has to write, when a grammar leaves it no choice
 * @param repetition the repetition that ends a choice
 */
public record SamplingParams(
    int n,
    OptionalInt maxTokens,
    int minTokens,
    boolean ignoreEos,
    Set<Integer> stopTokenIds,
    List<String> stops,
    boolean includeStop,
    int priority,
    CacheScope cacheScope,
    TokenRules tokenRules,
    Optional<String> fixedText,
    RepetitionRule repetition) {

  /** Copies the collections. */
  public SamplingParams {
    stopTokenIds = Set.copyOf(stopTokenIds);
    stops = List.copyOf(stops);
  }

  /** Priority 0, the shared cache of the base model, any tokens, and any repetition. */
  public SamplingParams(
      int n,
      OptionalInt maxTokens,
      int minTokens,
      boolean ignoreEos,
      Set<Integer> stopTokenIds,
      List<String> stops,
      boolean includeStop) {
    this(
        n,
        maxTokens,
        minTokens,
        ignoreEos,
        stopTokenIds,
        stops,
        includeStop,
        0,
        CacheScope.SHARED,
        TokenRules.NONE,
        Optional.empty(),
        RepetitionRule.NONE);
  }

  /** Returns these parameters with another priority. */
  public SamplingParams withPriority(int value) {
    return with(value, cacheScope, tokenRules, fixedText, repetition);
  }

  /** Returns these parameters with another cache scope. */
  public SamplingParams withCacheScope(CacheScope scope) {
    return with(priority, scope, tokenRules, fixedText, repetition);
  }

  /** Returns these parameters with other token rules. */
  public SamplingParams withTokenRules(TokenRules rules) {
    return with(priority, cacheScope, rules, fixedText, repetition);
  }

  /** Returns these parameters with another fixed text. */
  public SamplingParams withFixedText(Optional<String> text) {
    return with(priority, cacheScope, tokenRules, text, repetition);
  }

  /** Returns these parameters with the repetition that ends a choice changed. */
  public SamplingParams withRepetition(RepetitionRule rule) {
    return with(priority, cacheScope, tokenRules, fixedText, rule);
  }

  private SamplingParams with(
      int newPriority,
      CacheScope scope,
      TokenRules rules,
      Optional<String> text,
      RepetitionRule repetitionRule) {
    return new SamplingParams(
        n,
        maxTokens,
        minTokens,
        ignoreEos,
        stopTokenIds,
        stops,
        includeStop,
        newPriority,
        scope,
        rules,
        text,
        repetitionRule);
  }
}
