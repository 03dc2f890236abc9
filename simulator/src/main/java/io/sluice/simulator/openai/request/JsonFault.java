package io.sluice.simulator.openai.request;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * The position at which a text is not valid JSON, and the message of Python's parser for it.
 *
 * @param at the number of characters before it
 * @param expected what is missing
 */
record JsonFault(int at, String expected) {

  private static final String VALUE = "Expecting value";
  private static final String NAME = "Expecting property name enclosed in double quotes";
  private static final String SCALAR =
      "-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?|true|false|null|NaN|-?Infinity";

  /** The position of a scan in a text. */
  private static final class Scan {
    private final String text;
    private int at;

    Scan(String text) {
      this.text = text;
    }

    char next() {
      while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
        at++;
      }
      return at < text.length() ? text.charAt(at) : '\0';
    }

    /** Skips a string whose opening quote is next, and returns whether it is terminated. */
    boolean string() {
      for (at++; at < text.length() && text.charAt(at) != '"'; at++) {
        if (text.charAt(at) == '\\') {
          at++;
        }
      }
      return at++ < text.length();
    }

    boolean scalar() {
      int end = at;
      while (end < text.length() && ",]} \t\r\n".indexOf(text.charAt(end)) < 0) {
        end++;
      }
      boolean valid = text.substring(at, end).matches(SCALAR);
      at = valid ? end : at;
      return valid;
    }
  }

  /** Returns the first fault of a text that is not valid JSON. */
  static JsonFault in(String text) {
    Scan scan = new Scan(text);
    Deque<Character> open = new ArrayDeque<>();
    while (true) {
      int start = scan.at;
      char next = scan.next();
      if (next == '{' || next == '[') {
        scan.at++;
        char first = scan.next();
        boolean empty = first == (next == '{' ? '}' : ']');
        if (!empty) {
          open.push(next);
          if (next == '{') {
            Optional<JsonFault> fault = name(scan);
            if (fault.isPresent()) {
              return fault.get();
            }
          }
          continue;
        }
        scan.at++;
      } else if (next == '"') {
        int quote = scan.at;
        if (!scan.string()) {
          return new JsonFault(quote, "Unterminated string starting at");
        }
      } else if (next == '\0' || !scan.scalar()) {
        return new JsonFault(Math.max(start, scan.at), VALUE);
      }
      Optional<JsonFault> fault = behind(scan, open);
      if (fault.isPresent()) {
        return fault.get();
      }
    }
  }

  /** Skips a name and its colon. */
  private static Optional<JsonFault> name(Scan scan) {
    if (scan.next() != '"') {
      return Optional.of(new JsonFault(scan.at, NAME));
    }
    int quote = scan.at;
    if (!scan.string()) {
      return Optional.of(new JsonFault(quote, "Unterminated string starting at"));
    }
    if (scan.next() != ':') {
      return Optional.of(new JsonFault(scan.at, "Expecting ':' delimiter"));
    }
    scan.at++;
    return Optional.empty();
  }

  /** Skips what follows a value, up to the next value. */
  private static Optional<JsonFault> behind(Scan scan, Deque<Character> open) {
    while (!open.isEmpty()) {
      boolean inObject = open.peek() == '{';
      char next = scan.next();
      if (next == ',') {
        scan.at++;
        return inObject ? name(scan) : Optional.empty();
      }
      if (next != (inObject ? '}' : ']')) {
        return Optional.of(new JsonFault(scan.at, "Expecting ',' delimiter"));
      }
      scan.at++;
      open.pop();
    }
    scan.next();
    return Optional.of(new JsonFault(scan.at, "Extra data"));
  }
}
