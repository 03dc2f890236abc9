package io.sluice.bench.batch;

import java.util.Optional;

/** The kinds of lines in a batch file. */
enum LineKind {
  /** A chat; half of them are streamed. */
  CHAT(30, What.ANSWER, ""),
  /** A text completion; half of them are streamed. */
  COMPLETION(20, What.ANSWER, ""),
  /** A chat with a prompt of up to a third of the context. */
  LONG_PROMPT(13, What.ANSWER, ""),
  /** Generates exactly as many tokens as asked for. */
  LONG_ANSWER(15, What.ANSWER, ""),
  /** Has a stop text, at which most answers end. */
  STOP(8, What.ANSWER, ""),
  /** Two choices, sampled with a seed. */
  CHOICES(5, What.ANSWER, ""),

  /** Has a prompt that is longer than the context. */
  TOO_LONG(1, What.REFUSAL, ""),
  /** Names a model that no worker serves. */
  UNKNOWN_MODEL(1, What.REFUSAL, ""),
  /** Has an invalid temperature. */
  BAD_FIELD(2, What.REFUSAL, ""),
  /** Two choices at temperature 0, which engines refuse. */
  TWO_LIKELIEST(1, What.REFUSAL, ""),

  /** Is not valid JSON. */
  NO_JSON(1, What.NO_REQUEST, "invalid_json"),
  /** Has no custom_id. */
  NO_ID(1, What.NO_REQUEST, "missing_custom_id"),
  /** Names an endpoint that does not exist. */
  BAD_URL(1, What.NO_REQUEST, "invalid_url"),
  /** Has the custom_id of an earlier line. */
  REPEATED_ID(1, What.NO_REQUEST, "duplicate_custom_id");

  /** The expected outcome of a line. */
  enum What {
    ANSWER,
    /** An error with the same status as the engine's for the same body. */
    REFUSAL,
    /** An error without a response, because the line is not a valid request. */
    NO_REQUEST
  }

  private final int weight;
  private final What what;
  private final String code;

  LineKind(int weight, What what, String code) {
    this.weight = weight;
    this.what = what;
    this.code = code;
  }

  /** Returns how many lines in a hundred are of this kind. */
  int weight() {
    return weight;
  }

  What what() {
    return what;
  }

  /** Returns the error code of a line that is not a valid request. */
  Optional<String> code() {
    return Optional.of(code).filter(text -> !text.isEmpty());
  }
}
