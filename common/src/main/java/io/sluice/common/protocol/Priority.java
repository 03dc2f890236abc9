package io.sluice.common.protocol;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** How much a request matters; declared in the order in which requests are served. */
public enum Priority {
  URGENT,
  INTERACTIVE,
  BULK;

  /** As it stands in a header: lower case. */
  public String headerValue() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Reads a header's value; empty if it names no priority. */
  public static Optional<Priority> parse(String text) {
    for (Priority priority : values()) {
      if (priority.headerValue().equals(text)) {
        return Optional.of(priority);
      }
    }
    return Optional.empty();
  }

  /** How long an answer is wanted for when the request does not say. */
  public Duration defaultTimeout() {
    return this == BULK ? Duration.ofHours(24) : Duration.ofSeconds(60);
  }
}
