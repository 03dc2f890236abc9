package io.sluice.cli.doctor;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/**
 * What was found about one part of a pool.
 *
 * @param part such as {@code Kafka} or {@code worker w1}
 * @param state what it is like
 * @param advice what to do; empty if nothing
 */
record Finding(String part, Grade grade, String state, String advice) {

  /** How bad it is. */
  enum Grade {
    OK,
    /** The pool works, but not as it should, or not for long. */
    WARNING,
    /** Requests fail or wait because of it. */
    FAILURE;

    @JsonValue
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Finding ok(String part, String state) {
    return new Finding(part, Grade.OK, state, "");
  }

  static Finding warning(String part, String state, String advice) {
    return new Finding(part, Grade.WARNING, state, advice);
  }

  static Finding failure(String part, String state, String advice) {
    return new Finding(part, Grade.FAILURE, state, advice);
  }
}
