package io.sluice.producer.reply;

import java.util.OptionalLong;

/**
 * Where an answer lies in its partition of the reply topic, as far as that is known.
 *
 * @param from an offset before which it has no record
 * @param end the offset of its last record; empty while it has not ended
 */
public record AnswerPlace(OptionalLong from, OptionalLong end) {
  /** Nothing is known. */
  public static final AnswerPlace UNKNOWN =
      new AnswerPlace(OptionalLong.empty(), OptionalLong.empty());
}
