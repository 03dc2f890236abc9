package io.sluice.worker.generation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.Set;

/**
 * Merges streamed deltas as OpenAI's own clients do: texts are appended, elements with an index are
 * merged with those of the same index, other arrays are appended, and what identifies is kept.
 */
final class DeltaMerge {
  private static final Set<String> IDENTIFYING = Set.of("role", "id", "type", "name", "index");

  private DeltaMerge() {}

  /** Merges a later delta into an earlier one, but for some of its fields. */
  static void into(ObjectNode target, JsonNode delta, Set<String> except) {
    for (var field : delta.properties()) {
      if (!except.contains(field.getKey())) {
        merge(target, field.getKey(), field.getValue());
      }
    }
  }

  private static void merge(ObjectNode target, String name, JsonNode next) {
    JsonNode before = target.path(name);
    if (before.isMissingNode() || before.isNull()) {
      target.set(name, next.deepCopy());
    } else if (next.isTextual() && before.isTextual()) {
      if (!IDENTIFYING.contains(name)) {
        target.put(name, before.asText() + next.asText());
      }
    } else if (next.isObject() && before instanceof ObjectNode object) {
      into(object, next, Set.of());
    } else if (next.isArray() && before instanceof ArrayNode array) {
      append(array, next);
    } else if (!next.isNull()) {
      target.set(name, next);
    }
  }

  private static void append(ArrayNode target, JsonNode elements) {
    for (JsonNode element : elements) {
      Optional<ObjectNode> same = find(target, element);
      if (same.isPresent()) {
        into(same.get(), element, Set.of());
      } else {
        target.add(element.deepCopy());
      }
    }
  }

  private static Optional<ObjectNode> find(ArrayNode target, JsonNode element) {
    if (!element.path("index").isInt()) {
      return Optional.empty();
    }
    for (JsonNode candidate : target) {
      if (candidate instanceof ObjectNode object
          && candidate.path("index").equals(element.path("index"))) {
        return Optional.of(object);
      }
    }
    return Optional.empty();
  }
}
