package io.sluice.config;

import java.util.regex.Pattern;

/**
 * Text from outside without control characters, with which it could break a table, or write to a
 * terminal what was never printed. Pure.
 */
public final class PlainText {
  private static final Pattern CONTROLS = Pattern.compile("[\\p{Cntrl}\\x80-\\x9f]+");
  private static final Pattern CONTROLS_OF_LINES =
      Pattern.compile("[\\p{Cntrl}\\x80-\\x9f&&[^\\n\\t]]+");

  private PlainText() {}

  /** Returns the text in one line: a space for each run of control characters. */
  public static String line(String text) {
    return CONTROLS.matcher(text).replaceAll(" ");
  }

  /** Returns the text with its lines and tabs: a space for each run of other control characters. */
  public static String lines(String text) {
    return CONTROLS_OF_LINES.matcher(text).replaceAll(" ");
  }
}
