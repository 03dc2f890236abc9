package io.sluice.bench.direct;

/** Where two texts part, for a report. */
public final class Difference {
  private Difference() {}

  /** The choice, the place, and what is on either side. */
  public static String of(int choice, String wanted, String text) {
    int at = 0;
    while (at < Math.min(wanted.length(), text.length()) && wanted.charAt(at) == text.charAt(at)) {
      at++;
    }
    return "choice %d from character %d on: '%s' instead of '%s' (%d characters of %d)"
        .formatted(
            choice, at, excerpt(text, at), excerpt(wanted, at), text.length(), wanted.length());
  }

  private static String excerpt(String text, int at) {
    return text.substring(Math.max(0, at - 20), Math.min(text.length(), at + 40));
  }
}
