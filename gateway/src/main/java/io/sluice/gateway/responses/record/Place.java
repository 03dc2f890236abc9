package io.sluice.gateway.responses.record;

import io.sluice.producer.reply.AnswerPlace;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Where a response lies in Kafka, as far as that is known.
 *
 * @param record the offset of its record
 * @param answer where its answer lies
 */
public record Place(OptionalLong record, AnswerPlace answer) {
  /** Nothing is known. */
  public static final Place UNKNOWN = new Place(OptionalLong.empty(), AnswerPlace.UNKNOWN);

  private static final String NONE = "-";

  /** Returns the place of a record. */
  static Place ofRecord(long offset) {
    return new Place(OptionalLong.of(offset), AnswerPlace.UNKNOWN);
  }

  /** Returns the place of an answer. */
  public static Place ofAnswer(AnswerPlace answer) {
    return new Place(OptionalLong.empty(), answer);
  }

  /** Returns this place with what another one knows, which is newer. */
  Place with(Place newer) {
    return new Place(
        latest(newer.record, record),
        new AnswerPlace(
            latest(newer.answer.from(), answer.from()), latest(newer.answer.end(), answer.end())));
  }

  private static OptionalLong latest(OptionalLong newer, OptionalLong older) {
    return newer.isPresent() ? newer : older;
  }

  /** Returns whether nothing will be added to it. */
  boolean isWhole() {
    return record.isPresent() && answer.from().isPresent() && answer.end().isPresent();
  }

  /** Returns the offsets of the record, the answer's beginning and its end. */
  String text() {
    return text(record) + " " + text(answer.from()) + " " + text(answer.end());
  }

  private static String text(OptionalLong offset) {
    return offset.isPresent() ? Long.toString(offset.getAsLong()) : NONE;
  }

  /** Parses a text; empty if it is not the text of a place. */
  static Optional<Place> parse(String text) {
    String[] offsets = text.split(" ", -1);
    try {
      return offsets.length == 3
          ? Optional.of(
              new Place(
                  offset(offsets[0]), new AnswerPlace(offset(offsets[1]), offset(offsets[2]))))
          : Optional.empty();
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static OptionalLong offset(String text) {
    return text.equals(NONE) ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
  }
}
