package io.sluice.bench.overhead;

import java.util.StringTokenizer;
import java.util.function.LongConsumer;

/** The times in a stream of the paced engine: each token is the time at which it was written. */
final class Stamps {
  private static final String CONTENT = "\"content\":\"";

  private Stamps() {}

  /** Returns the text of a token that is written now. */
  static String now() {
    return System.nanoTime() + " ";
  }

  /** Passes on the times, in nanoseconds, of all tokens in a chunk. */
  static void each(String chunk, LongConsumer stamps) {
    int at = chunk.indexOf(CONTENT);
    while (at >= 0) {
      int from = at + CONTENT.length();
      int end = chunk.indexOf('"', from);
      text(chunk.substring(from, end < 0 ? chunk.length() : end), stamps);
      at = end < 0 ? -1 : chunk.indexOf(CONTENT, end);
    }
  }

  /** Passes on the times of all tokens in a text. */
  static void text(String text, LongConsumer stamps) {
    var tokens = new StringTokenizer(text);
    while (tokens.hasMoreTokens()) {
      stamps.accept(Long.parseLong(tokens.nextToken()));
    }
  }
}
