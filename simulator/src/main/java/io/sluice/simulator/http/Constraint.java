package io.sluice.simulator.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.sluice.simulator.structured.MatchingText;
import io.sluice.simulator.structured.SchemaValue;
import java.util.List;
import java.util.Optional;

/**
 * What a request's tools, response format or guided decoding make the model write: the whole
 * answer, which depends on the schema only.
 *
 * @param text the answer; empty when the model writes freely
 * @param tool the function that the answer is the arguments of
 */
record Constraint(Optional<String> text, Optional<String> tool) {

  private static final Constraint NONE = new Constraint(Optional.empty(), Optional.empty());

  private static final List<String> KINDS =
      List.of("json", "regex", "choice", "grammar", "json_object", "structural_tag");
  private static final List<String> MODES = List.of("none", "auto", "required");

  /** Checks the tool fields as far as vLLM does before anything else. */
  static void checkTools(Fields body, boolean autoToolChoice) {
    boolean hasTools = body.has("tools");
    if (hasTools && body.list("tools").isEmpty()) {
      throw ApiError.badRequest(
          "`tools` must not be an empty array. Either provide at least one tool or omit the field.");
    }
    JsonNode choice = body.object().path("tool_choice");
    boolean asksForTools = body.has("tool_choice") && !choice.asText("").equals("none");
    if (asksForTools && !hasTools) {
      throw ApiError.badRequest("When using `tool_choice`, `tools` must be set.");
    }
    if (choice.isTextual() && !MODES.contains(choice.asText())) {
      throw ApiError.badRequest(
          "Invalid value for `tool_choice`: "
              + choice.asText()
              + "! Only named tools, \"none\", \"auto\" or \"required\" are supported.");
    }
    if (hasTools && choice.asText("auto").equals("auto") && !choice.isObject() && !autoToolChoice) {
      throw ApiError.badRequest(
          "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set");
    }
  }

  /**
   * Reads what the answer has to be.
   *
   * @param asked the last message, which decides about a call when the model is free to make one
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
    List<JsonNode> functions =
        body.list("tools").stream().map(tool -> tool.path("function")).toList();
    for (JsonNode function : functions) {
      if (!function.path("name").isTextual()) {
        throw Fields.wrong("missing", "tools', 'function', 'name", "Field required");
      }
    }
    JsonNode choice = body.object().path("tool_choice");
    if (choice.isObject()) {
      String name = choice.at("/function/name").asText("");
      return Optional.of(
          functions.stream()
              .filter(function -> function.path("name").asText().equals(name))
              .findFirst()
              .orElseThrow(
                  () ->
                      ApiError.badRequest(
                          "The tool specified in `tool_choice` does not match any of the specified `tools`")));
    }
    return switch (choice.asText("auto")) {
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
          throw ApiError.badRequest(
              "When response_format type is 'json_schema', the 'json_schema' field must be provided.");
        }
        yield Optional.of(value(schema));
      }
      case "structural_tag" ->
          throw ApiError.unsupported("The simulator does not follow structural tags.");
      default ->
          throw Fields.wrong(
              "literal_error",
              "response_format', 'type",
              "Input should be text, json_object, json_schema or structural_tag");
    };
  }

  private static Optional<String> structured(Fields body) {
    if (!body.has("structured_outputs")) {
      return Optional.empty();
    }
    Fields wanted = body.child("structured_outputs");
    long kinds = KINDS.stream().filter(wanted::has).count();
    if (kinds != 1) {
      throw ApiError.validation(
          "Value error, You %s use one kind of structured outputs constraint but %s are specified"
              .formatted(kinds > 1 ? "can only" : "must", kinds > 1 ? "multiple" : "none"));
    }
    if (wanted.has("json")) {
      JsonNode json = wanted.object().get("json");
      return Optional.of(value(json.isTextual() ? parsed(json.textValue()) : json));
    }
    if (wanted.has("choice")) {
      List<String> choices = wanted.strings("choice");
      if (choices.isEmpty()) {
        throw ApiError.badRequest("Choice '[]' cannot be empty").lazily();
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
      return Json.object(json.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    } catch (ApiError e) {
      throw ApiError.badRequest("Invalid JSON grammar specification.").lazily();
    }
  }

  private static String anyObject() {
    return "{\"answer\": \"a plain answer\", \"confidence\": 0.9}";
  }

  /** A schema that cannot be met is found when the grammar is compiled, after the head is sent. */
  private static String value(JsonNode schema) {
    try {
      return SchemaValue.of(schema).toString();
    } catch (IllegalArgumentException e) {
      throw ApiError.badRequest("Invalid JSON schema: " + e.getMessage()).lazily();
    }
  }
}
