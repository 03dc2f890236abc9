package io.sluice.simulator.structured;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.jspecify.annotations.Nullable;

/** Generates different items for an array with {@code uniqueItems}. */
final class Distinct {

  private Distinct() {}

  /**
   * Returns the item at an index, which is a variant of the first one; null if there are no more.
   */
  static @Nullable JsonNode of(JsonNode first, JsonNode items, int index) {
    if (index == 0) {
      return first;
    }
    if (items.has("enum")) {
      return index < items.get("enum").size() ? items.get("enum").get(index) : null;
    }
    if (first.isTextual()
        && !items.has("maxLength")
        && !items.has("format")
        && !items.has("pattern")
        && !items.has("const")) {
      return JsonNodeFactory.instance.textNode(first.textValue() + " " + (index + 1));
    }
    boolean freeNumber = first.isIntegralNumber() && !items.has("maximum") && !items.has("const");
    long step = Math.max(1, items.path("multipleOf").asLong(1));
    return freeNumber && !items.has("exclusiveMaximum")
        ? JsonNodeFactory.instance.numberNode(first.longValue() + index * step)
        : null;
  }
}
