package io.sluice.common.reply;

import java.util.Locale;
import java.util.Optional;

/** The kind of a reply record. */
public enum ReplyKind {
  /** Output tokens. */
  TOKENS,
  /** An attempt takes over the stream. */
  CLAIM,
  /** The regular end, with finish_reason and usage. */
  FINAL,
  /** The end with an error. */
  ERROR,
  /** The request is a repeat, and its answer is elsewhere. */
  POINTER;

  /** Returns the value of the header, in lower case. */
  public String headerValue() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Parses a header's value; empty if it is not a kind. */
  public static Optional<ReplyKind> parse(String text) {
    for (ReplyKind kind : values()) {
      if (kind.headerValue().equals(text)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }
}
