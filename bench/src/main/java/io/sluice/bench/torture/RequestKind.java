package io.sluice.bench.torture;

/** What callers send, and how it may end. */
enum RequestKind {
  /** A streamed chat. */
  CHAT(24),
  /** One of 10 to 40 s, so that something happens while it runs. */
  LONG(22),
  /** A chat whose answer comes as a whole. */
  WHOLE(8),
  /** A streamed text completion. */
  COMPLETION(8),
  /** A long text completion, as a whole. */
  LONG_COMPLETION(3),
  /** By the bulk topic. */
  BULK(8),
  /** Two choices, streamed: begins anew when it is interrupted. */
  CHOICES(4),
  /** With log probabilities, streamed: begins anew as well. */
  LOGPROBS(4),
  /** With a JSON schema. */
  SCHEMA(2),
  /** Sent twice under one id. */
  REPEATED(4),
  /** Long, and wanted within seconds only: it may be refused where it would wait for longer. */
  HURRIED(4, "deadline_exceeded"),
  /** Long, and cancelled after a while. */
  CANCELLED(4, "cancelled"),
  /** No JSON. */
  BROKEN(2, "invalid_request"),
  /** For a model that nobody serves. */
  UNKNOWN_MODEL(2, "model_not_found"),
  /** Longer than the model takes. */
  TOO_LONG(1, "context_length_exceeded");

  private final int weight;
  private final String error;

  RequestKind(int weight) {
    this(weight, "");
  }

  RequestKind(int weight, String error) {
    this.weight = weight;
    this.error = error;
  }

  /** How many of a hundred or so. */
  int weight() {
    return weight;
  }

  /** The code of the error that it may end with; empty if it has to be answered. */
  String error() {
    return error;
  }

  /** Whether it can only end with an error. */
  boolean isRefused() {
    return this == BROKEN || this == UNKNOWN_MODEL || this == TOO_LONG;
  }

  /** Whether tokens are published as they come, not only every two seconds. */
  boolean isStreamed() {
    return switch (this) {
      case WHOLE, LONG_COMPLETION, SCHEMA -> false;
      default -> true;
    };
  }
}
