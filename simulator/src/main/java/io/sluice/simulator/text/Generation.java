package io.sluice.simulator.text;

import java.util.Arrays;
import java.util.function.Predicate;

/**
 * Generates the tokens of a model for one prompt, in order.
 *
 * <p>The result is a pure function of model name, prompt bytes, rules and choice; see {@link
 * Origin} for the rule and its proof. If a continued prompt ends at a token boundary of the
 * interrupted generation, the token ids are also those of the uninterrupted one. Inside a token,
 * the remaining bytes of that token come first. Not thread-safe.
 */
public final class Generation {

  private final Tokenizer tokenizer;
  private final Script script;
  private final boolean ignoreEnd;
  private final int minTokens;

  private TokenIds passage = TokenIds.of();
  private int next;
  private int scriptTokens;
  private int generatedTokens;

  private Generation(
      Tokenizer tokenizer, Origin origin, Script script, boolean ignoreEnd, int minTokens) {
    this.tokenizer = tokenizer;
    this.script = script;
    this.ignoreEnd = ignoreEnd;
    this.minTokens = minTokens;
    skip(origin.offsetBytes());
  }

  /**
   * Starts or resumes the generation for a prompt.
   *
   * @param rules what must not be generated; followed as far as passages without it are found
   * @param choice the index below {@code n}; only choice 0 can be continued
   * @param ignoreEnd whether to continue forever instead of ending naturally
   * @param minTokens the number of tokens before the end is allowed
   */
  public static Generation of(
      Tokenizer tokenizer,
      String model,
      byte[] prompt,
      TokenRules rules,
      int choice,
      boolean ignoreEnd,
      int minTokens) {
    Predicate<String> permitted = passage -> rules.permit(tokenizer, passage);
    Origin origin =
        choice == 0 ? Origin.of(model, prompt, permitted) : Origin.variant(model, prompt, choice);
    return new Generation(
        tokenizer,
        origin,
        new Script(origin.seed(), origin.afterSpace(), permitted),
        ignoreEnd || rules.banned().contains(Tokenizer.END_OF_TEXT),
        minTokens);
  }

  /** Returns the next token id; {@link Tokenizer#END_OF_TEXT} at the natural end. */
  public int nextToken() {
    if (next == passage.size()) {
      boolean atEnd = scriptTokens >= script.naturalTokens();
      if (atEnd && !ignoreEnd && generatedTokens >= minTokens) {
        return Tokenizer.END_OF_TEXT;
      }
      readPassage();
    }
    generatedTokens++;
    return passage.get(next++);
  }

  private void readPassage() {
    passage = tokenizer.encodeBytes(script.nextPassage());
    next = 0;
    scriptTokens += passage.size();
  }

  private void skip(int bytes) {
    int left = bytes;
    while (left > 0) {
      if (next == passage.size()) {
        readPassage();
      }
      byte[] token = tokenizer.bytes(passage.get(next++));
      if (token.length > left) {
        TokenIds rest = tokenizer.encodeBytes(Arrays.copyOfRange(token, left, token.length));
        TokenIds ahead = tail(passage, next);
        passage = rest.plus(ahead);
        next = 0;
        return;
      }
      left -= token.length;
    }
  }

  private static TokenIds tail(TokenIds ids, int from) {
    return TokenIds.of(Arrays.copyOfRange(ids.toArray(), from, ids.size()));
  }
}
