package io.sluice.bench.batch;

import java.util.Optional;

/** What the lines of a batch file ask for. */
enum LineKind {
  /** A chat, half of them streamed. */
  CHAT(30, What.ANSWER, ""),
  /** A text completion, half of them streamed. */
  COMPLETION(20, What.ANSWER, ""),
  /** A chat with a prompt of up to a third of the context. */
  LONG_PROMPT(13, What.ANSWER, ""),
  /** As many tokens as asked for. */
  LONG_ANSWER(15, What.ANSWER, ""),
  /** Ends at a text, mostly. */
  STOP(8, What.ANSWER, ""),
  /** Two choices, drawn with a seed. */
  CHOICES(5, What.ANSWER, ""),

  /** A prompt that is longer than the context. */
  TOO_LONG(1, What.REFUSAL, ""),
  /** For a model that nobody serves. */
  UNKNOWN_MODEL(1, What.REFUSAL, ""),
  /** With a temperature that is none. */
  BAD_FIELD(2, What.REFUSAL, ""),
  /** The likeliest token twice, which engines refuse. */
  TWO_LIKELIEST(1, What.REFUSAL, ""),

  /** No JSON. */
  NO_JSON(1, What.NO_REQUEST, "invalid_json"),
  /** Without a custom_id. */
  NO_ID(1, What.NO_REQUEST, "missing_custom_id"),
  /** For an endpoint that is none. */
  BAD_URL(1, What.NO_REQUEST, "invalid_url"),
  /** With the custom_id of an earlier line. */
  REPEATED_ID(1, What.NO_REQUEST, "duplicate_custom_id");

  /** What comes of a line. */
  enum What {
    ANSWER,
    /** An error with a status, as the engine gives it to the same body. */
    REFUSAL,
    /** An error without a response, since the line is no request. */
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

  /** How many of a hundred. */
  int weight() {
    return weight;
  }

  What what() {
    return what;
  }

  /** What the line's error is called, if it is no request. */
  Optional<String> code() {
    return Optional.of(code).filter(text -> !text.isEmpty());
  }
}
