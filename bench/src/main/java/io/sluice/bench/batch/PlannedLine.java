package io.sluice.bench.batch;

import io.sluice.bench.direct.Question;
import java.util.Optional;

/**
 * A line of the input file.
 *
 * @param number the line number, counted from 1
 * @param customId empty if the line has none that can be read
 * @param question what it asks an engine; empty if it is not a valid request
 */
record PlannedLine(
    int number,
    LineKind kind,
    String text,
    Optional<String> customId,
    Optional<Question> question) {

  /**
   * Returns the key of its result. The error of a line that is not a valid request names the line
   * number.
   */
  String key() {
    return question.isPresent() ? question.get().id() : Result.keyOf(number);
  }
}
