package io.sluice.common.reply;

import java.util.Locale;
import java.util.Optional;

/** What becomes of the tokens that were there before a claim. */
public enum ClaimMode {
  /** They stay, and the new attempt continues after them. */
  RESUME,
  /** They are discarded, and the new attempt begins at index 0. */
  RESTART;

  /** As it stands in a header: lower case. */
  public String headerValue() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Reads a header's value; empty if it names no mode. */
  public static Optional<ClaimMode> parse(String text) {
    for (ClaimMode mode : values()) {
      if (mode.headerValue().equals(text)) {
        return Optional.of(mode);
      }
    }
    return Optional.empty();
  }
}
