package io.sluice.bench.direct;

/** Describes where two texts begin to differ, for a report. */
public final class Difference {
  private Difference() {}

  /** Names the choice, the first character that differs, and both texts from there. */
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
