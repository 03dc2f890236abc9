package io.sluice.simulator.openai.request;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.sluice.simulator.release.Release;
import io.sluice.simulator.structured.MatchingText;
import io.sluice.simulator.structured.SchemaValue;
import java.util.List;
import java.util.Optional;

/**
 * The output that a request's tools, response format or guided decoding enforce. It is the whole
 * answer, and it depends on the schema only.
 *
 * @param text the answer; empty if the model writes freely
 * @param tool the function whose arguments are the answer
 */
record Constraint(Optional<String> text, Optional<String> tool) {

  private static final Constraint NONE = new Constraint(Optional.empty(), Optional.empty());

  private static final List<String> KINDS =
      List.of("json", "regex", "choice", "grammar", "json_object", "structural_tag");
  private static final List<String> MODES = List.of("none", "auto", "required");

  /** Checks the tool fields as far as vLLM does before any other check. */
  static void checkTools(Fields body, boolean autoToolChoice, Release release) {
    boolean hasTools = body.has("tools");
    if (hasTools && body.list("tools").isEmpty()) {
      throw ApiError.badParameter(
          "tools",
          "`tools` must not be an empty array. Either provide at least one tool or omit the field entirely.");
    }
    JsonNode choice = body.object().path("tool_choice");
    boolean asksForTools = body.has("tool_choice") && !choice.asText("").equals("none");
    if (asksForTools && !hasTools) {
      throw ApiError.badParameter("tool_choice", "When using `tool_choice`, `tools` must be set.");
    }
    if (choice.isTextual() && !MODES.contains(choice.asText())) {
      throw ApiError.badParameter(
          "tool_choice",
          "Invalid value for `tool_choice`: "
              + choice.asText()
              + "! Only named tools, \"none\", \"auto\" or \"required\" are supported.");
    }
    if (hasTools) {
      checkNames(functions(body));
      checkNamed(functions(body), choice);
    }
    if (hasTools && !autoToolChoice && !release.before(32)) {
      checkParser(choice);
    }
    boolean auto = choice.isMissingNode() || choice.asText("").equals("auto");
    if (hasTools && auto && !autoToolChoice) {
      throw ApiError.badRequest(
          "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set");
    }
  }

  /** Checks that a parser is configured, which a required call needs as much as an optional one. */
  private static void checkParser(JsonNode choice) {
    if (choice.isObject() || choice.asText("").equals("required")) {
      String wanted =
          choice.isObject()
              ? "function \"" + choice.at("/function/name").asText("") + "\""
              : "\"required\"";
      throw ApiError.badRequest("tool_choice=" + wanted + " requires --tool-call-parser to be set");
    }
  }

  private static void checkNamed(List<JsonNode> functions, JsonNode choice) {
    if (choice.isObject() && functions.stream().noneMatch(each -> isNamed(each, choice))) {
      throw ApiError.badParameter(
          "tool_choice",
          "The tool specified in `tool_choice` does not match any of the specified `tools`");
    }
  }

  private static boolean isNamed(JsonNode function, JsonNode choice) {
    return function.path("name").asText().equals(choice.at("/function/name").asText(""));
  }

  private static List<JsonNode> functions(Fields body) {
    return body.list("tools").stream().map(tool -> tool.path("function")).toList();
  }

  private static void checkNames(List<JsonNode> functions) {
    for (int at = 0; at < functions.size(); at++) {
      if (!functions.get(at).path("name").isTextual()) {
        throw ApiError.validation(
            Violation.of(
                "missing",
                "body.tools." + at + ".function.name",
                "Field required",
                functions.get(at)));
      }
    }
  }

  /**
   * Reads the constraint of a request.
   *
   * @param asked the last message of the user, which decides whether the model makes an optional
   *     call
   */
  static Constraint of(Fields body, String asked) {
    Optional<JsonNode> tool = tool(body, asked);
    if (tool.isPresent()) {
      String name = tool.get().path("name").asText();
      JsonNode parameters = tool.get().path("parameters");
      JsonNode schema = parameters.isObject() ? parameters : JsonNodeFactory.instance.objectNode();
      return new Constraint(
          Optional.of(schema.isEmpty() ? "{}" : value(schema)), Optional.of(name));
    }
    return structured(body)
        .or(() -> format(body))
        .map(text -> new Constraint(Optional.of(text), Optional.empty()))
        .orElse(NONE);
  }

  private static Optional<JsonNode> tool(Fields body, String asked) {
    if (!body.has("tools")) {
      return Optional.empty();
    }
    List<JsonNode> functions = functions(body);
    JsonNode choice = body.object().path("tool_choice");
    if (choice.isObject()) {
      return functions.stream().filter(function -> isNamed(function, choice)).findFirst();
    }
    return switch (choice.isNull() ? "none" : choice.asText("auto")) {
      case "required" -> Optional.of(mentioned(functions, asked).orElse(functions.getFirst()));
      case "auto" -> mentioned(functions, asked);
      default -> Optional.empty();
    };
  }

  private static Optional<JsonNode> mentioned(List<JsonNode> functions, String asked) {
    return functions.stream()
        .filter(function -> asked.contains(function.path("name").asText()))
        .findFirst();
  }

  private static Optional<String> format(Fields body) {
    if (!body.has("response_format")) {
      return Optional.empty();
    }
    Fields format = body.child("response_format");
    String type = format.string("type").orElse("");
    return switch (type) {
      case "text" -> Optional.empty();
      case "json_object" -> Optional.of(anyObject());
      case "json_schema" -> {
        JsonNode schema = format.object().at("/json_schema/schema");
        if (schema.isMissingNode()) {
          throw ApiError.badParameter(
              "response_format",
              "When response_format type is 'json_schema', the 'json_schema' field must be provided.");
        }
        yield Optional.of(value(schema));
      }
      case "structural_tag" ->
          throw ApiError.unsupported("The simulator does not follow structural tags.");
      default ->
          throw ApiError.validation(
              Violation.literal(
                  "body.response_format.type",
                  "'text', 'json_object' or 'json_schema'",
                  format.get("type")));
    };
  }

  private static Optional<String> structured(Fields body) {
    if (!body.has("structured_outputs")) {
      return Optional.empty();
    }
    Fields wanted = body.child("structured_outputs");
    long kinds = KINDS.stream().filter(wanted::has).count();
    if (kinds != 1) {
      throw ApiError.badRequest(
          kinds > 1
              ? "You can only use one kind of constraints for structured outputs ('json', 'regex' or 'choice')."
              : "You must use one kind of structured outputs constraint but none are specified: {'json': None, 'regex': None, 'choice': None, 'grammar': None, 'json_object': None, 'disable_any_whitespace': False, 'disable_additional_properties': False, 'whitespace_pattern': None, 'structural_tag': None, '_backend': None, '_backend_was_auto': False}");
    }
    if (wanted.has("json")) {
      JsonNode json = wanted.object().get("json");
      return Optional.of(value(json.isTextual() ? parsed(json.textValue()) : json));
    }
    if (wanted.has("choice")) {
      List<String> choices = wanted.strings("choice");
      if (choices.isEmpty()) {
        throw ApiError.badRequest("Choice '[]' cannot be an empty list").lazily();
      }
      return Optional.of(choices.getFirst());
    }
    if (wanted.has("regex")) {
      return Optional.of(matching(wanted.string("regex").orElseThrow()));
    }
    if (wanted.has("json_object")) {
      return wanted.flag("json_object", false) ? Optional.of(anyObject()) : Optional.empty();
    }
    throw ApiError.unsupported(
        "The simulator follows structured_outputs of json, choice, regex and json_object only.");
  }

  private static String matching(String regex) {
    Optional<String> text;
    try {
      text = MatchingText.of(regex);
    } catch (IllegalArgumentException e) {
      throw ApiError.badRequest("Failed to transform regex into a grammar: " + e.getMessage())
          .lazily();
    }
    return text.orElseThrow(
        () -> ApiError.unsupported("The simulator found no text that matches the regex " + regex));
  }

  private static JsonNode parsed(String json) {
    try {
      return Json.parse(json);
    } catch (JsonProcessingException e) {
      throw ApiError.badRequest("Invalid JSON grammar specification.").lazily();
    }
  }

  private static String anyObject() {
    return "{\"answer\": \"a plain answer\", \"confidence\": 0.9}";
  }

  /**
   * Returns a value of a schema. A schema that cannot be met is detected when the grammar is
   * compiled, after the head is sent.
   */
  private static String value(JsonNode schema) {
    try {
      return SchemaValue.of(schema).toString();
    } catch (IllegalArgumentException e) {
      throw ApiError.badRequest("Invalid JSON schema: " + e.getMessage()).lazily();
    }
  }
}
