package io.sluice.common.protocol;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** The priority of a request, declared in the order in which requests are served. */
public enum Priority {
  URGENT,
  INTERACTIVE,
  BULK;

  /** Returns the value of the header, in lower case. */
  public String headerValue() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Parses a header's value; empty if it is not a priority. */
  public static Optional<Priority> parse(String text) {
    for (Priority priority : values()) {
      if (priority.headerValue().equals(text)) {
        return Optional.of(priority);
      }
    }
    return Optional.empty();
  }

  /** Returns the time until the deadline for a request that sets none. */
  public Duration defaultTimeout() {
    return this == BULK ? Duration.ofHours(24) : Duration.ofSeconds(60);
  }
}
