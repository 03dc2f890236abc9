package io.sluice.common.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** JSON of any shape whose objects have the fields that a parser reads, with values of any type. */
final class ArbitraryJson {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final List<String> WORDS =
      List.of(
          "cancel",
          "extend",
          "reprioritise",
          "accepted",
          "started",
          "returned",
          "failed",
          "completed",
          "progress",
          "stale",
          "bulk",
          "",
          "1",
          "null");

  private ArbitraryJson() {}

  static Arbitrary<JsonNode> withFields(String... names) {
    Arbitrary<JsonNode> leaves =
        Arbitraries.oneOf(
            Arbitraries.of(WORDS).map(NODES::textNode),
            Arbitraries.strings().ofMaxLength(20).map(NODES::textNode),
            Arbitraries.longs().map(NODES::numberNode),
            Arbitraries.bigIntegers().map(NODES::numberNode),
            Arbitraries.doubles().map(NODES::numberNode),
            Arbitraries.of(true, false).map(NODES::booleanNode),
            Arbitraries.just(NODES.nullNode()));
    Arbitrary<JsonNode> arrays = leaves.list().ofMaxSize(3).map(ArbitraryJson::array);
    Arbitrary<JsonNode> flat =
        Arbitraries.maps(Arbitraries.of(names), Arbitraries.oneOf(leaves, arrays))
            .map(ArbitraryJson::object);
    Arbitrary<JsonNode> nested =
        Arbitraries.maps(Arbitraries.of(names), Arbitraries.oneOf(leaves, flat))
            .map(ArbitraryJson::object);
    return Arbitraries.oneOf(flat, nested, leaves, arrays);
  }

  private static JsonNode array(List<JsonNode> elements) {
    ArrayNode array = NODES.arrayNode();
    return array.addAll(elements);
  }

  private static JsonNode object(java.util.Map<String, JsonNode> fields) {
    ObjectNode object = NODES.objectNode();
    return object.setAll(fields);
  }
}
