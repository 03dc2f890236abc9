package io.sluice.simulator.http;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.simulator.text.TokenIds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Typed reading of a request object; what has the wrong type is a validation error. */
record Fields(JsonNode object) {

  boolean has(String name) {
    return object.hasNonNull(name);
  }

  boolean flag(String name, boolean otherwise) {
    if (!has(name)) {
      return otherwise;
    }
    if (!object.get(name).isBoolean()) {
      throw wrong("bool_type", name, "Input should be a valid boolean");
    }
    return object.get(name).booleanValue();
  }

  OptionalInt integer(String name) {
    if (!has(name)) {
      return OptionalInt.empty();
    }
    JsonNode value = object.get(name);
    if (!value.isNumber() || !value.canConvertToInt() || value.doubleValue() % 1 != 0) {
      throw wrong("int_type", name, "Input should be a valid integer");
    }
    return OptionalInt.of(value.intValue());
  }

  double number(String name, double otherwise) {
    if (!has(name)) {
      return otherwise;
    }
    if (!object.get(name).isNumber()) {
      throw wrong("float_type", name, "Input should be a valid number");
    }
    return object.get(name).doubleValue();
  }

  Optional<String> string(String name) {
    if (!has(name)) {
      return Optional.empty();
    }
    if (!object.get(name).isTextual()) {
      throw wrong("string_type", name, "Input should be a valid string");
    }
    return Optional.of(object.get(name).textValue());
  }

  /** A string, or a list of strings. */
  List<String> strings(String name) {
    if (!has(name)) {
      return List.of();
    }
    JsonNode value = object.get(name);
    if (value.isTextual()) {
      return List.of(value.textValue());
    }
    List<String> strings = new ArrayList<>();
    for (JsonNode item : list(name)) {
      if (!item.isTextual()) {
        throw wrong("string_type", name, "Input should be a valid string");
      }
      strings.add(item.textValue());
    }
    return strings;
  }

  List<JsonNode> list(String name) {
    JsonNode value = object.get(name);
    if (value == null || value.isNull()) {
      throw missing(name);
    }
    if (!value.isArray()) {
      throw wrong("list_type", name, "Input should be a valid list");
    }
    List<JsonNode> items = new ArrayList<>(value.size());
    value.forEach(items::add);
    return items;
  }

  TokenIds tokenIds(String name) {
    return has(name) ? tokenIds(name, list(name)) : TokenIds.of();
  }

  static TokenIds tokenIds(String name, Iterable<JsonNode> items) {
    List<Integer> ids = new ArrayList<>();
    for (JsonNode item : items) {
      if (!item.isInt()) {
        throw wrong("int_type", name, "Input should be a valid integer");
      }
      ids.add(item.intValue());
    }
    return TokenIds.of(ids.stream().mapToInt(Integer::intValue).toArray());
  }

  Fields child(String name) {
    JsonNode value = object.get(name);
    if (!value.isObject()) {
      throw wrong("dict_type", name, "Input should be a valid dictionary");
    }
    return new Fields(value);
  }

  Optional<Double> number(String name) {
    return has(name) ? Optional.of(number(name, 0)) : Optional.empty();
  }

  static ApiError missing(String name) {
    return wrong("missing", name, "Field required");
  }

  static ApiError wrong(String type, String name, String message) {
    return ApiError.validation(
        "{'type': '%s', 'loc': ('body', '%s'), 'msg': '%s'}".formatted(type, name, message));
  }
}
