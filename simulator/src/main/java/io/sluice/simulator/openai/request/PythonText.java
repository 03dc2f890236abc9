package io.sluice.simulator.openai.request;

import com.fasterxml.jackson.databind.JsonNode;

/** Formats JSON values as Python prints them in its messages. */
final class PythonText {

  private PythonText() {}

  /** Returns {@code repr(text)}. */
  static String quoted(String text) {
    boolean onlySingle = text.indexOf('\'') >= 0 && text.indexOf('"') < 0;
    char quote = onlySingle ? '"' : '\'';
    String escaped = text.replace("\\", "\\\\").replace("\n", "\\n");
    return quote + (onlySingle ? escaped : escaped.replace("'", "\\'")) + quote;
  }

  /** Returns {@code str(value)} of a scalar. */
  static String of(JsonNode value) {
    return switch (value.getNodeType()) {
      case NULL, MISSING -> "None";
      case BOOLEAN -> value.booleanValue() ? "True" : "False";
      default -> value.asText();
    };
  }
}
