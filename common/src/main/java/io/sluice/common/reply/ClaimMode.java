package io.sluice.common.reply;

import java.util.Locale;
import java.util.Optional;

/** What a claim does to the tokens before it. */
public enum ClaimMode {
  /** The tokens are kept, and the new attempt continues after them. */
  RESUME,
  /** The tokens are discarded, and the new attempt begins at index 0. */
  RESTART;

  /** Returns the value of the header, in lower case. */
  public String headerValue() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Parses a header's value; empty if it is not a mode. */
  public static Optional<ClaimMode> parse(String text) {
    for (ClaimMode mode : values()) {
      if (mode.headerValue().equals(text)) {
        return Optional.of(mode);
      }
    }
    return Optional.empty();
  }
}
