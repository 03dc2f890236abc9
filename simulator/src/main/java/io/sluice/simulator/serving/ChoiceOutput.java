package io.sluice.simulator.serving;

import io.sluice.simulator.text.TokenIds;
import java.util.Optional;

/**
 * New output of one choice.
 *
 * @param choice prompt index * n + choice
 * @param text the new text; may be empty while a character or a stop string is incomplete
 * @param tokenIds the new tokens
 * @param outputTokens the number of all tokens of the choice so far
 * @param cachedTokens the number of prompt tokens from the prefix cache
 * @param finish how the choice ended; present in its last output only
 */
public record ChoiceOutput(
    int choice,
    String text,
    TokenIds tokenIds,
    int outputTokens,
    int cachedTokens,
    Optional<Finish> finish) {

  /** Creates an output of a choice whose prompt was not cached. */
  public ChoiceOutput(
      int choice, String text, TokenIds tokenIds, int outputTokens, Optional<Finish> finish) {
    this(choice, text, tokenIds, outputTokens, 0, finish);
  }

  /** Merges this output with the next one of the same choice. */
  public ChoiceOutput then(ChoiceOutput next) {
    return new ChoiceOutput(
        choice,
        text + next.text,
        tokenIds.plus(next.tokenIds),
        next.outputTokens,
        next.cachedTokens,
        next.finish);
  }
}
