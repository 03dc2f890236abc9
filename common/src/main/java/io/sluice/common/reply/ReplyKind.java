package io.sluice.common.reply;

import java.util.Locale;
import java.util.Optional;

/** What a reply record is. */
public enum ReplyKind {
  /** Output tokens. */
  TOKENS,
  /** An attempt takes the stream over. */
  CLAIM,
  /** The regular end, with finish_reason and usage. */
  FINAL,
  /** The end by an error. */
  ERROR,
  /** The request is a repeat; its answer is elsewhere. */
  POINTER;

  /** As it stands in a header: lower case. */
  public String headerValue() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Reads a header's value; empty if it names no kind. */
  public static Optional<ReplyKind> parse(String text) {
    for (ReplyKind kind : values()) {
      if (kind.headerValue().equals(text)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }
}
