package io.sluice.simulator.text;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Generates a sequence of a few allowed tokens. Each token is drawn by a hash of the model and of
 * all text before it, so that an answer that was interrupted between two tokens continues
 * unchanged. Not thread-safe.
 */
public final class AllowedTokens {

  private final Tokenizer tokenizer;
  private final List<Integer> withEnd;
  private final List<Integer> withoutEnd;
  private final boolean ignoreEnd;
  private final int minTokens;
  private final int choice;
  private long hash;
  private int generatedTokens;

  /**
   * Creates the generation.
   *
   * @param rules the rules, with at least one allowed token
   * @param choice the index below {@code n}; only choice 0 can be continued
   * @param ignoreEnd whether the end of text is never chosen, even if it is allowed
   * @param minTokens the number of tokens before the end of text can be chosen
   */
  public AllowedTokens(
      Tokenizer tokenizer,
      TokenRules rules,
      String model,
      byte[] prompt,
      int choice,
      boolean ignoreEnd,
      int minTokens) {
    this.tokenizer = tokenizer;
    this.withEnd = without(rules.allowed().stream().sorted().toList(), rules.banned());
    this.withoutEnd = without(withEnd, List.of(Tokenizer.END_OF_TEXT));
    this.choice = choice;
    this.ignoreEnd = ignoreEnd;
    this.minTokens = minTokens;
    this.hash = Origin.extend(Origin.modelHash(model), prompt);
  }

  /** Returns the next token id. */
  public int nextToken() {
    boolean endMayCome = !ignoreEnd && generatedTokens >= minTokens;
    List<Integer> ids = endMayCome ? withEnd : withoutEnd;
    int id = new RandomSequence(SplitMix.mix(hash + choice)).pick(ids);
    generatedTokens++;
    hash = Origin.extend(hash, tokenizer.bytes(id));
    return id;
  }

  /** If no token would remain, all stay allowed. */
  private static List<Integer> without(List<Integer> ids, Collection<Integer> unwanted) {
    List<Integer> left = new ArrayList<>(ids);
    left.removeAll(unwanted);
    return left.isEmpty() ? ids : left;
  }
}
