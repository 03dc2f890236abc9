package io.sluice.producer.stream;

/**
 * How much text of an answer was read, and whether another text begins with it. The text itself is
 * not kept. Not thread-safe.
 */
final class ReadText {
  private static final long FACTOR = 1_000_003;

  private int length;
  private long hash;

  void append(String piece) {
    length += piece.length();
    hash = hash(hash, piece, piece.length());
  }

  /** Returns what follows in a text; empty if it does not begin with what was read. */
  String restOf(String whole) {
    return isBeginningOf(whole) ? whole.substring(length) : "";
  }

  boolean isEmpty() {
    return length == 0;
  }

  /** Returns whether a text begins with what was read. */
  boolean isBeginningOf(String whole) {
    return length <= whole.length() && hash == hash(0, whole, length);
  }

  private static long hash(long begin, String text, int characters) {
    long hash = begin;
    for (int i = 0; i < characters; i++) {
      hash = FACTOR * hash + text.charAt(i);
    }
    return hash;
  }
}
