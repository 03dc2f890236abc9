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
 * @param finish how the choice ended, with its last output
 */
public record ChoiceOutput(
    int choice, String text, TokenIds tokenIds, int outputTokens, Optional<Finish> finish) {

  /** Joins this output and the next one of the same choice. */
  public ChoiceOutput then(ChoiceOutput next) {
    return new ChoiceOutput(
        choice, text + next.text, tokenIds.plus(next.tokenIds), next.outputTokens, next.finish);
  }
}
