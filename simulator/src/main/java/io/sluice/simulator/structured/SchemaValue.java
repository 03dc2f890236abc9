package io.sluice.simulator.structured;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Generates a value that is valid for a JSON schema. It is always the same value for the same
 * schema.
 *
 * <p>Supported: {@code type} (also a list), {@code enum}, {@code const}, {@code properties}, {@code
 * required}, {@code items}, {@code prefixItems}, lengths, counts and ranges, {@code multipleOf},
 * common {@code format}s, {@code pattern}, {@code $ref} into the same document, {@code anyOf},
 * {@code oneOf}, and {@code allOf} of objects. Optional properties are included, except inside a
 * recursion. Not supported: {@code not} and conditions.
 */
public final class SchemaValue {

  /** Deeper than any practical schema; limits recursion through references. */
  private static final int MOST_LEVELS = 32;

  /**
   * The level from which optional properties are omitted, which ends every satisfiable recursion.
   */
  private static final int FULL_LEVELS = 6;

  private static final int MOST_ITEMS = 1_000;
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final Set<String> TYPES =
      Set.of("object", "array", "string", "integer", "number", "boolean", "null");

  private final JsonNode root;

  private SchemaValue(JsonNode root) {
    this.root = root;
  }

  /**
   * Returns a value for a schema.
   *
   * @throws IllegalArgumentException if the schema is malformed or uses unsupported features; the
   *     message says which
   */
  public static JsonNode of(JsonNode schema) {
    return new SchemaValue(schema).value(schema, "value", 0);
  }

  private JsonNode value(JsonNode schema, String name, int level) {
    if (schema.isBoolean() && schema.booleanValue()) {
      return JSON.textNode(name);
    }
    if (!schema.isObject()) {
      throw new IllegalArgumentException("A JSON schema must be an object, got " + schema + ".");
    }
    if (level > MOST_LEVELS) {
      throw new IllegalArgumentException(
          "The JSON schema nests deeper than " + MOST_LEVELS + " levels.");
    }
    if (schema.has("const")) {
      return schema.get("const");
    }
    if (schema.has("enum")) {
      return first(schema, "enum");
    }
    if (schema.has("$ref")) {
      return value(resolve(schema.get("$ref").asText()), name, level + 1);
    }
    for (String choice : List.of("anyOf", "oneOf")) {
      if (schema.has(choice)) {
        return value(simplest(schema, choice, level), name, level + 1);
      }
    }
    if (schema.has("allOf")) {
      return value(merged(schema), name, level + 1);
    }
    return switch (type(schema)) {
      case "object" -> object(schema, level);
      case "array" -> array(schema, name, level);
      case "integer" -> JSON.numberNode((long) number(schema, true));
      case "number" -> JSON.numberNode(number(schema, false));
      case "boolean" -> JSON.booleanNode(true);
      case "null" -> JSON.nullNode();
      default -> JSON.textNode(Strings.of(schema, name));
    };
  }

  /** Returns the alternative to use. Inside a recursion, it is the one that does not refer back. */
  private static JsonNode simplest(JsonNode schema, String choice, int level) {
    JsonNode first = first(schema, choice);
    if (level < FULL_LEVELS) {
      return first;
    }
    for (JsonNode alternative : schema.get(choice)) {
      if (!alternative.has("$ref")) {
        return alternative;
      }
    }
    return first;
  }

  private JsonNode object(JsonNode schema, int level) {
    ObjectNode object = JSON.objectNode();
    Set<String> required = new LinkedHashSet<>();
    schema.path("required").forEach(name -> required.add(name.asText()));
    JsonNode properties = schema.path("properties");
    properties
        .properties()
        .forEach(
            property -> {
              if (level < FULL_LEVELS || required.contains(property.getKey())) {
                object.set(
                    property.getKey(), value(property.getValue(), property.getKey(), level + 1));
              }
            });
    JsonNode others = schema.path("additionalProperties");
    JsonNode other = others.isObject() ? others : JSON.booleanNode(true);
    for (String name : required) {
      if (!object.has(name)) {
        object.set(name, value(other, name, level + 1));
      }
    }
    for (int i = 1; object.size() < schema.path("minProperties").asInt(0); i++) {
      object.set("key" + i, value(other, "key" + i, level + 1));
    }
    return object;
  }

  private JsonNode array(JsonNode schema, String name, int level) {
    ArrayNode array = JSON.arrayNode();
    schema.path("prefixItems").forEach(item -> array.add(value(item, name, level + 1)));
    int least = schema.path("minItems").asInt(0);
    int most = schema.path("maxItems").asInt(MOST_ITEMS);
    if (least > MOST_ITEMS || least > most) {
      throw new IllegalArgumentException(
          "The JSON schema's minItems %d is above %d."
              .formatted(least, Math.min(most, MOST_ITEMS)));
    }
    int wanted = level < FULL_LEVELS ? Math.min(most, Math.max(least, 2)) : least;
    JsonNode items = schema.path("items");
    if (items.isMissingNode()) {
      items = JSON.booleanNode(true);
    } else if (items.isBoolean() && !items.booleanValue()) {
      return array;
    }
    boolean unique = schema.path("uniqueItems").asBoolean(false);
    for (int i = array.size(); i < wanted; i++) {
      JsonNode item = unique ? Distinct.of(value(items, name, level + 1), items, i) : null;
      if (unique && item == null) {
        break;
      }
      array.add(item == null ? value(items, name, level + 1) : item);
    }
    return array;
  }

  private static double number(JsonNode schema, boolean whole) {
    double step = schema.path("multipleOf").asDouble(whole ? 1 : 0);
    double least = schema.path("minimum").asDouble(Double.NEGATIVE_INFINITY);
    double most = schema.path("maximum").asDouble(Double.POSITIVE_INFINITY);
    double above = schema.path("exclusiveMinimum").asDouble(Double.NEGATIVE_INFINITY);
    double below = schema.path("exclusiveMaximum").asDouble(Double.POSITIVE_INFINITY);
    double low = Math.max(least, above);
    double high = Math.min(most, below);
    double value;
    if (step > 0) {
      value = low == Double.NEGATIVE_INFINITY ? Math.min(step, floor(high, step)) : ceil(low, step);
      if (value <= above) {
        value += step;
      }
      if (value >= below) {
        value -= step;
      }
    } else if (Double.isInfinite(low)) {
      value = high > 1.5 ? 1.5 : high - 0.5;
    } else {
      value = Double.isInfinite(high) ? low + 0.5 : low + (high - low) / 2;
    }
    if (value < low || value > high || value <= above || value >= below) {
      throw new IllegalArgumentException("The JSON schema's range of numbers is empty.");
    }
    return value;
  }

  private static double ceil(double value, double step) {
    return Math.ceil(value / step) * step;
  }

  private static double floor(double value, double step) {
    return Double.isInfinite(value) ? value : Math.floor(value / step) * step;
  }

  private static JsonNode first(JsonNode schema, String keyword) {
    JsonNode list = schema.get(keyword);
    if (!list.isArray() || list.isEmpty()) {
      throw new IllegalArgumentException(
          "The JSON schema's " + keyword + " must be a list that is not empty.");
    }
    return list.get(0);
  }

  private static String type(JsonNode schema) {
    JsonNode type = schema.path("type");
    String name = (type.isArray() && !type.isEmpty() ? type.get(0) : type).asText("");
    if (type.isMissingNode()) {
      return implied(schema).orElse("string");
    }
    if (!TYPES.contains(name)) {
      throw new IllegalArgumentException("The JSON schema has an unknown type " + type + ".");
    }
    return name;
  }

  private static Optional<String> implied(JsonNode schema) {
    if (schema.has("properties") || schema.has("required")) {
      return Optional.of("object");
    }
    if (schema.has("items") || schema.has("prefixItems")) {
      return Optional.of("array");
    }
    return schema.has("minimum") || schema.has("maximum")
        ? Optional.of("number")
        : Optional.empty();
  }

  private JsonNode resolve(String reference) {
    JsonNode found =
        reference.startsWith("#") ? root.at(reference.substring(1)) : JSON.missingNode();
    if (found.isMissingNode()) {
      throw new IllegalArgumentException(
          "The JSON schema refers to '" + reference + "', which is not in it.");
    }
    return found;
  }

  private JsonNode merged(JsonNode schema) {
    ObjectNode merged = ((ObjectNode) schema).deepCopy();
    merged.remove("allOf");
    for (JsonNode given : schema.get("allOf")) {
      JsonNode part = given.has("$ref") ? resolve(given.get("$ref").asText()) : given;
      part.properties()
          .forEach(
              field -> {
                JsonNode present = merged.path(field.getKey());
                if (present.isObject() && field.getValue().isObject()) {
                  ((ObjectNode) present).setAll((ObjectNode) field.getValue());
                } else if (present.isArray() && field.getValue().isArray()) {
                  ((ArrayNode) present).addAll((ArrayNode) field.getValue());
                } else {
                  merged.set(field.getKey(), field.getValue().deepCopy());
                }
              });
    }
    return merged;
  }
}
