package io.sluice.bench.torture.pool;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Finds the mark of a prompt that kills in the bytes of one connection. Not thread-safe. */
final class MarkSearch {
  private static final int LONGEST = 128;

  private String tail = "";

  /** Takes the next bytes; returns the id in a mark that they complete. */
  Optional<String> next(byte[] bytes, int count) {
    String text = tail + new String(bytes, 0, count, StandardCharsets.ISO_8859_1);
    int mark = text.lastIndexOf(PoisonMark.PREFIX);
    int end = mark < 0 ? -1 : text.indexOf(PoisonMark.END, mark);
    if (end >= 0) {
      tail = text.substring(Math.max(end, text.length() - LONGEST));
      return Optional.of(text.substring(mark + PoisonMark.PREFIX.length(), end));
    }
    tail = text.substring(Math.max(0, text.length() - LONGEST));
    return Optional.empty();
  }
}
