package io.sluice.bench.batch;

import io.sluice.bench.direct.Question;
import java.util.Optional;

/**
 * A line of the input.
 *
 * @param number from 1 on
 * @param customId empty if it has none that can be read
 * @param question what it asks an engine; empty if it is no request
 */
record PlannedLine(
    int number,
    LineKind kind,
    String text,
    Optional<String> customId,
    Optional<Question> question) {

  /** By which its result is found: an error of a line that is no request names its number. */
  String key() {
    return question.isPresent() ? question.get().id() : Result.keyOf(number);
  }
}
