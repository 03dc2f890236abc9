package io.sluice.simulator.serving;

import io.sluice.simulator.text.TokenIds;
import java.util.Optional;

/**
 * What one choice has new.
 *
 * @param choice prompt index * n + choice
 * @param text the new text; may be empty while a character or a stop string is unfinished
 * @param tokenIds the new tokens
 * @param outputTokens all tokens of the choice so far
 * @param cachedTokens prompt tokens that came from the prefix cache
 * @param finish how the choice ended, with its last output
 */
public record ChoiceOutput(
    int choice,
    String text,
    TokenIds tokenIds,
    int outputTokens,
    int cachedTokens,
    Optional<Finish> finish) {

  /** An output of a choice whose whole prompt was computed. */
  public ChoiceOutput(
      int choice, String text, TokenIds tokenIds, int outputTokens, Optional<Finish> finish) {
    this(choice, text, tokenIds, outputTokens, 0, finish);
  }

  /** Joins this output and the next one of the same choice. */
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
