package io.sluice.gateway.responses.event;

import java.util.Locale;

/** The status of a response. */
enum ResponseStatus {
  QUEUED,
  IN_PROGRESS,
  COMPLETED,
  INCOMPLETE,
  CANCELLED,
  FAILED;

  /** Returns OpenAI's name. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether nothing follows. */
  boolean isEnd() {
    return this != QUEUED && this != IN_PROGRESS;
  }

  /** Returns the event that reports it. OpenAI has none for a cancelled response. */
  String event() {
    return this == CANCELLED ? INCOMPLETE.event() : "response." + text();
  }
}
