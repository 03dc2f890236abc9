package io.sluice.simulator.openai.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;

/**
 * A field that does not match the schema, with pydantic's wording.
 *
 * @param type the kind of error
 * @param location the location, such as {@code body.max_tokens}
 * @param message the message
 * @param input the value, formatted as in Python
 * @param context more details as a Python dictionary; empty for none
 */
record Violation(String type, String location, String message, String input, String context) {

  private static final int MOST_SHOWN_CHARS = 200;

  static Violation of(String type, String location, String message, JsonNode input) {
    return new Violation(type, location, message, shown(input), "");
  }

  Violation with(String context) {
    return new Violation(type, location, message, input, context);
  }

  /** Reports a value that must be one of a set. */
  static Violation literal(String location, String expected, JsonNode input) {
    return of("literal_error", location, "Input should be " + expected, input)
        .with("{'expected': " + PythonText.quoted(expected) + "}");
  }

  static Violation below(String location, long least, JsonNode input) {
    return of(
            "greater_than_equal",
            location,
            "Input should be greater than or equal to " + least,
            input)
        .with("{'ge': " + least + "}");
  }

  @Override
  public String toString() {
    return "{'type': %s, 'loc': %s, 'msg': %s, 'input': %s%s}"
        .formatted(
            PythonText.quoted(type),
            PythonText.quoted(location),
            PythonText.quoted(message),
            PythonText.quoted(input),
            context.isEmpty() ? "" : ", 'ctx': " + context);
  }

  private static String shown(JsonNode input) {
    String text =
        switch (input.getNodeType()) {
          case ARRAY -> "<list of " + input.size() + " items>";
          case OBJECT -> "<dict of " + input.size() + " items>";
          case STRING -> input.textValue();
          default -> PythonText.of(input);
        };
    return input instanceof TextNode && text.length() > MOST_SHOWN_CHARS
        ? text.substring(0, MOST_SHOWN_CHARS) + "...[truncated]"
        : text;
  }
}
