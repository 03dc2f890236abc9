package io.sluice.common.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import io.sluice.common.protocol.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A JSON object merged from streamed ones by the rules of OpenAI's own clients: objects are merged;
 * array elements with an {@code index} are merged with the element of the same index, and other
 * elements are appended. In deltas, texts are pieces and are appended, except identifying ones, of
 * which the first value is kept. For everything else the last value is kept. {@code null} never
 * replaces a value.
 *
 * <p>{@link Kept} says how much of the content is kept, and in which form. Not thread-safe.
 */
final class MergedObject {
  private static final Set<String> IDENTIFYING = Set.of("role", "id", "type", "name", "index");

  private final Map<String, Part> parts = new LinkedHashMap<>();
  private final boolean joinsTexts;
  private final Kept kept;

  private MergedObject(boolean joinsTexts, Kept kept) {
    this.joinsTexts = joinsTexts;
    this.kept = kept;
  }

  /** What an object keeps of its content. */
  enum Kept {
    /** All of it. */
    TREES,
    /**
     * All of it, but objects in lists as their text, which takes a fraction of the memory of a
     * tree. For objects that are only written.
     */
    TEXTS,
    /**
     * The lengths of texts and of lists: enough to tell what follows in a whole object ({@link
     * MergedObject#removeFrom}).
     */
    LENGTHS
  }

  /** Creates an empty object whose texts arrive in pieces. */
  static MergedObject ofDeltas(Kept kept) {
    return new MergedObject(true, kept);
  }

  /** Creates an empty object whose texts arrive whole. */
  static MergedObject ofValues(Kept kept) {
    return new MergedObject(false, kept);
  }

  /** The value of a field. */
  private sealed interface Part {}

  private record Text(StringBuilder value) implements Part {}

  /** A text that is only measured, in characters. */
  private record Length(int value) implements Part {}

  private record Nested(MergedObject value) implements Part {}

  private record Elements(List<Part> values) implements Part {}

  /** A value that is replaced, never merged. */
  private record Scalar(JsonNode value) implements Part {}

  /** Stands for an element of a list that is only measured. */
  private static final Part ELEMENT = new Scalar(NullNode.getInstance());

  /** Merges an object's fields into this one. */
  void add(JsonNode delta) {
    for (Map.Entry<String, JsonNode> field : delta.properties()) {
      add(field.getKey(), field.getValue());
    }
  }

  /** Merges one field into this object. */
  void add(String name, JsonNode next) {
    Part before = parts.get(name);
    if (before == null || isNull(before)) {
      parts.put(name, part(name, next));
    } else if (joinsTexts && before instanceof Text text) {
      if (next.isTextual() && !IDENTIFYING.contains(name)) {
        text.value().append(next.textValue());
      }
    } else if (before instanceof Length(int length)) {
      if (next.isTextual()) {
        parts.put(name, new Length(length + next.textValue().length()));
      }
    } else if (before instanceof Nested nested && next.isObject()) {
      nested.value().add(next);
    } else if (before instanceof Elements elements && next.isArray()) {
      next.forEach(element -> add(elements.values(), element));
    } else if (!next.isNull()) {
      parts.put(name, part(name, next));
    }
  }

  /** Merges a piece of text into one field, like a text node. */
  void addText(String name, String piece) {
    if (parts.get(name) instanceof Text(StringBuilder value)
        && joinsTexts
        && !IDENTIFYING.contains(name)) {
      value.append(piece);
    } else {
      add(name, Json.mapper().getNodeFactory().textNode(piece));
    }
  }

  /**
   * Removes from an object, of which this one is the beginning, what this one has: the object is
   * left with what has to be added to this one.
   */
  void removeFrom(ObjectNode whole) {
    parts.forEach(
        (name, part) -> {
          JsonNode value = whole.get(name);
          if (value != null) {
            rest(name, part, value)
                .ifPresentOrElse(left -> whole.set(name, left), () -> whole.remove(name));
          }
        });
  }

  /** Returns what follows in a text of which the text of a field is the beginning. */
  String rest(String name, String whole) {
    return switch (parts.get(name)) {
      case Text(StringBuilder begun) -> rest(begun.length(), whole);
      case Length(int begun) -> rest(begun, whole);
      case null, default -> whole;
    };
  }

  private static String rest(int begun, String whole) {
    return whole.substring(Math.min(begun, whole.length()));
  }

  /** Returns the text of a field; empty if the field is absent. */
  String text(String name) {
    return parts.get(name) instanceof Text(StringBuilder value) ? value.toString() : "";
  }

  /** Returns the object as merged so far. */
  ObjectNode toJson() {
    ObjectNode json = Json.mapper().createObjectNode();
    parts.forEach((name, part) -> json.set(name, json(part)));
    return json;
  }

  private Optional<JsonNode> rest(String name, Part part, JsonNode whole) {
    return switch (part) {
      case Text _ when IDENTIFYING.contains(name) -> Optional.empty();
      case Text(StringBuilder text) when !joinsTexts ->
          Optional.of(whole).filter(value -> !text.toString().equals(value.textValue()));
      case Text(StringBuilder text) when whole.isTextual() -> textLeft(text.length(), whole);
      case Length(int length) when whole.isTextual() -> textLeft(length, whole);
      case Nested(MergedObject merged) when whole instanceof ObjectNode object -> {
        merged.removeFrom(object);
        yield Optional.<JsonNode>of(object).filter(left -> !left.isEmpty());
      }
      case Elements(List<Part> elements) when whole.isArray() -> rest(elements, whole);
      case Scalar(JsonNode value) when value.equals(whole) -> Optional.empty();
      case Part _ -> Optional.of(whole);
    };
  }

  private static Optional<JsonNode> textLeft(int begun, JsonNode whole) {
    return Optional.of(rest(begun, whole.textValue()))
        .filter(left -> !left.isEmpty())
        .map(Json.mapper().getNodeFactory()::textNode);
  }

  /** Elements with an index stand for themselves, others follow those that were appended. */
  private static Optional<JsonNode> rest(List<Part> elements, JsonNode whole) {
    long appended = elements.stream().filter(Scalar.class::isInstance).count();
    ArrayNode left = Json.mapper().createArrayNode();
    for (JsonNode element : whole) {
      JsonNode index = element.path("index");
      Optional<MergedObject> known = at(elements, index);
      if (known.isPresent() && element instanceof ObjectNode object) {
        known.get().removeFrom(object);
        if (!object.isEmpty()) {
          left.add(object.set("index", index));
        }
      } else if (index.isInt() || appended-- <= 0) {
        left.add(element);
      }
    }
    return left.isEmpty() ? Optional.empty() : Optional.of(left);
  }

  private static Optional<MergedObject> at(List<Part> elements, JsonNode index) {
    return elements.stream()
        .filter(Nested.class::isInstance)
        .map(element -> ((Nested) element).value())
        .filter(element -> element.isAt(index))
        .findFirst();
  }

  private void add(List<Part> elements, JsonNode next) {
    JsonNode index = next.path("index");
    if (!index.isInt()) {
      elements.add(appended(next));
      return;
    }
    at(elements, index)
        .ifPresentOrElse(known -> known.add(next), () -> elements.add(part("", next)));
  }

  private Part appended(JsonNode element) {
    return switch (kept) {
      case TREES -> new Scalar(element);
      case TEXTS -> new Scalar(element.isObject() ? asText(element) : element);
      case LENGTHS -> ELEMENT;
    };
  }

  private static JsonNode asText(JsonNode tree) {
    return Json.mapper().getNodeFactory().rawValueNode(new RawValue(Json.text(tree)));
  }

  private boolean isAt(JsonNode index) {
    return parts.get("index") instanceof Scalar(JsonNode own) && own.equals(index);
  }

  private static boolean isNull(Part part) {
    return part instanceof Scalar(JsonNode value) && value.isNull();
  }

  private Part part(String name, JsonNode value) {
    if (value.isTextual()) {
      boolean isMeasured = kept == Kept.LENGTHS && joinsTexts && !IDENTIFYING.contains(name);
      return isMeasured
          ? new Length(value.textValue().length())
          : new Text(new StringBuilder(value.textValue()));
    }
    if (value.isObject()) {
      var nested = new MergedObject(joinsTexts, kept);
      nested.add(value);
      return new Nested(nested);
    }
    if (value.isArray()) {
      List<Part> elements = new ArrayList<>(value.size());
      value.forEach(element -> add(elements, element));
      return new Elements(elements);
    }
    return new Scalar(value);
  }

  private static JsonNode json(Part part) {
    return switch (part) {
      case Text(StringBuilder value) -> Json.mapper().getNodeFactory().textNode(value.toString());
      case Nested(MergedObject value) -> value.toJson();
      case Elements(List<Part> values) -> {
        ArrayNode array = Json.mapper().createArrayNode();
        values.forEach(value -> array.add(json(value)));
        yield array;
      }
      case Scalar(JsonNode value) -> value;
      case Length(int length) -> throw new IllegalStateException("only " + length + " characters");
    };
  }
}
