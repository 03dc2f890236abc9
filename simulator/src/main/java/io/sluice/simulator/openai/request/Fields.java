package io.sluice.simulator.openai.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.sluice.simulator.text.TokenIds;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads typed fields of a request object. Like pydantic, it accepts numbers and booleans as
 * strings. A value of the wrong type is a validation error.
 *
 * @param object the object
 * @param path the location of the object in the body
 */
public record Fields(JsonNode object, String path) {

  private static final Pattern INTEGER = Pattern.compile("\\s*[+-]?\\d+\\s*");
  private static final Set<String> TRUE = Set.of("true", "t", "yes", "y", "on", "1", "1.0");
  private static final Set<String> FALSE = Set.of("false", "f", "no", "n", "off", "0", "0.0");

  /** Returns whether a field is present and not null. */
  public boolean has(String name) {
    return object.hasNonNull(name);
  }

  JsonNode get(String name) {
    return object.has(name) ? object.get(name) : NullNode.getInstance();
  }

  String location(String name) {
    return path + "." + name;
  }

  /** Returns a boolean field, or a default if it is missing. */
  public boolean flag(String name, boolean otherwise) {
    if (!has(name)) {
      return otherwise;
    }
    JsonNode value = get(name);
    String text = value.asText().toLowerCase(Locale.ROOT);
    if (value.isValueNode() && TRUE.contains(text)) {
      return true;
    }
    if (value.isValueNode() && FALSE.contains(text)) {
      return false;
    }
    throw value.isContainerNode()
        ? wrong("bool_type", name, "Input should be a valid boolean")
        : wrong("bool_parsing", name, "Input should be a valid boolean, unable to interpret input");
  }

  OptionalInt integer(String name) {
    return has(name) ? OptionalInt.of(integer(location(name), get(name))) : OptionalInt.empty();
  }

  /** Returns an integer. A value that is out of range is clamped. */
  private static int integer(String location, JsonNode value) {
    if (value.isBoolean()) {
      return value.booleanValue() ? 1 : 0;
    }
    if (value.isTextual()) {
      if (!INTEGER.matcher(value.textValue()).matches()) {
        throw ApiError.validation(
            Violation.of(
                "int_parsing",
                location,
                "Input should be a valid integer, unable to parse string as an integer",
                value));
      }
      return (int) clamped(Double.parseDouble(value.textValue()));
    }
    if (!value.isNumber()) {
      throw ApiError.validation(
          Violation.of("int_type", location, "Input should be a valid integer", value));
    }
    if (value.doubleValue() % 1 != 0) {
      throw ApiError.validation(
          Violation.of(
              "int_from_float",
              location,
              "Input should be a valid integer, got a number with a fractional part",
              value));
    }
    return (int) clamped(value.doubleValue());
  }

  private static double clamped(double value) {
    return Math.clamp(value, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  double number(String name, double otherwise) {
    return number(name).orElse(otherwise);
  }

  Optional<Double> number(String name) {
    if (!has(name)) {
      return Optional.empty();
    }
    JsonNode value = get(name);
    if (value.isNumber()) {
      return Optional.of(value.doubleValue());
    }
    if (value.isBoolean()) {
      return Optional.of(value.booleanValue() ? 1.0 : 0.0);
    }
    if (!value.isTextual()) {
      throw wrong("float_type", name, "Input should be a valid number");
    }
    try {
      return Optional.of(Double.valueOf(value.textValue().trim()));
    } catch (NumberFormatException e) {
      throw wrong(
          "float_parsing",
          name,
          "Input should be a valid number, unable to parse string as a number");
    }
  }

  /** Returns a string field. */
  public Optional<String> string(String name) {
    if (!has(name)) {
      return Optional.empty();
    }
    if (!get(name).isTextual()) {
      throw wrong("string_type", name, "Input should be a valid string");
    }
    return Optional.of(get(name).textValue());
  }

  /** Returns a string field that must have one of the allowed values. */
  Optional<String> literal(String name, String... allowed) {
    Optional<String> value = has(name) ? Optional.of(get(name).asText()) : Optional.empty();
    if (value.isPresent() && !Set.of(allowed).contains(value.get())) {
      String most = String.join("', '", List.of(allowed).subList(0, allowed.length - 1));
      String expected = "'" + most + "' or '" + allowed[allowed.length - 1] + "'";
      throw ApiError.validation(Violation.literal(location(name), expected, get(name)));
    }
    return value;
  }

  /** Returns a list of strings. */
  List<String> strings(String name) {
    return has(name) ? texts(name, list(name)) : List.of();
  }

  /** Returns a string or a list of at most {@code most} strings as a list. */
  List<String> textOrTexts(String name, int most) {
    if (!has(name)) {
      return List.of();
    }
    JsonNode value = get(name);
    if (value.isTextual()) {
      return List.of(value.textValue());
    }
    Violation noText =
        Violation.of("string_type", location(name), "Input should be a valid string", value);
    if (!value.isArray()) {
      throw ApiError.validation(
          noText, Violation.of("list_type", location(name), "Input should be a valid list", value));
    }
    if (value.size() > most) {
      throw ApiError.validation(noText, tooLong(name, most, value));
    }
    List<Violation> violations = new ArrayList<>(List.of(noText));
    int at = 0;
    for (JsonNode item : value) {
      if (!item.isTextual()) {
        violations.add(noText(location(name) + "." + at, item));
      }
      at++;
    }
    if (violations.size() > 1) {
      throw ApiError.validation(violations.toArray(Violation[]::new));
    }
    return texts(name, list(name));
  }

  private Violation tooLong(String name, int most, JsonNode value) {
    return Violation.of(
            "too_long",
            location(name),
            "List should have at most %s items after validation, not %s"
                .formatted(most, value.size()),
            value)
        .with(
            "{'field_type': 'List', 'max_length': %s, 'actual_length': %s}"
                .formatted(most, value.size()));
  }

  private List<String> texts(String name, List<JsonNode> items) {
    List<String> strings = new ArrayList<>();
    for (JsonNode item : items) {
      if (!item.isTextual()) {
        throw ApiError.validation(noText(location(name) + "." + strings.size(), item));
      }
      strings.add(item.textValue());
    }
    return strings;
  }

  static Violation noText(String location, JsonNode item) {
    return Violation.of("string_type", location, "Input should be a valid string", item);
  }

  List<JsonNode> list(String name) {
    if (!object.has(name)) {
      throw missing(name);
    }
    if (!get(name).isArray()) {
      throw wrong("list_type", name, "Input should be a valid list");
    }
    List<JsonNode> items = new ArrayList<>(get(name).size());
    get(name).forEach(items::add);
    return items;
  }

  TokenIds tokenIds(String name) {
    return has(name) ? tokenIds(location(name), list(name), false) : TokenIds.of();
  }

  /** Reads token ids. With {@code fromZero}, negative ids are rejected. */
  static TokenIds tokenIds(String location, Iterable<JsonNode> items, boolean fromZero) {
    List<Integer> ids = new ArrayList<>();
    for (JsonNode item : items) {
      String at = location + "." + ids.size();
      int id = integer(at, item);
      if (fromZero && id < 0) {
        throw ApiError.validation(Violation.below(at, 0, item));
      }
      ids.add(id);
    }
    return TokenIds.of(ids.stream().mapToInt(Integer::intValue).toArray());
  }

  Fields child(String name) {
    if (!get(name).isObject()) {
      throw wrong("dict_type", name, "Input should be a valid dictionary");
    }
    return new Fields(get(name), location(name));
  }

  /** Returns a child object that has its own schema. */
  Fields model(String name) {
    if (!get(name).isObject()) {
      throw wrong(
          "model_attributes_type",
          name,
          "Input should be a valid dictionary or object to extract fields from");
    }
    return new Fields(get(name), location(name));
  }

  ApiError missing(String name) {
    return ApiError.validation(missingViolation(name));
  }

  Violation missingViolation(String name) {
    return Violation.of("missing", location(name), "Field required", object);
  }

  ApiError wrong(String type, String name, String message) {
    return ApiError.validation(Violation.of(type, location(name), message, get(name)));
  }
}
