package io.sluice.verify.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/** The assertions of the rules. */
final class Expect {

  private static final int SHOWN_CHARS = 200;

  /** An engine broke a rule. */
  static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Broken(String message) {
      super(message, null, false, false);
    }
  }

  /** A rule cannot be checked. */
  static final class Skipped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Skipped(String message) {
      super(message, null, false, false);
    }
  }

  private Expect() {}

  static void that(boolean holds, String otherwise, Object... shown) {
    if (!holds) {
      throw new Broken(shown.length == 0 ? otherwise : otherwise + ": " + shown(shown[0]));
    }
  }

  static void equal(Object expected, Object actual) {
    that(Objects.equals(expected, actual), "expected " + shown(expected) + ", got", actual);
  }

  static void matches(String pattern, String text) {
    that(
        Pattern.compile(pattern, Pattern.DOTALL).matcher(text).find(),
        "expected a match of " + pattern + ", got",
        text);
  }

  static void contains(String text, String... parts) {
    for (String part : parts) {
      that(text.contains(part), "expected '" + part + "' in", text);
    }
  }

  static void status(int expected, io.sluice.verify.http.EngineAnswer answer) {
    that(
        answer.status() == expected,
        "expected status " + expected + ", got " + answer.status(),
        answer.body());
  }

  /** Skips the rule unless the engine supports the request. */
  static void needs(boolean condition, String reason) {
    if (!condition) {
      throw new Skipped(reason);
    }
  }

  static List<String> keys(JsonNode object) {
    List<String> keys = new ArrayList<>();
    object.fieldNames().forEachRemaining(keys::add);
    return keys;
  }

  private static String shown(Object value) {
    String text = String.valueOf(value).strip();
    return text.length() > SHOWN_CHARS ? text.substring(0, SHOWN_CHARS) + "..." : text;
  }
}
