package io.sluice.verify.transcript;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.sluice.verify.http.Engine;
import java.util.Optional;

/**
 * Fills in the values that depend on the engine: {@code "$MODEL"}, {@code "$LORA"}, {@code
 * {"$context": -15}} for its context minus 15 tokens, {@code {"$ids": -15}} for that number of
 * token ids, and {@code {"$text": 100}} for a text whose number of words is the context plus 100.
 */
final class Template {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final int SOME_TOKEN = 65;

  private final Engine engine;

  Template(Engine engine) {
    this.engine = engine;
  }

  /** Replaces the names in a text by those of the engine. */
  String filled(String text) {
    String lora = engine.loras().isEmpty() ? "no-adapter" : engine.loras().getFirst();
    return text.replace("$MODEL", engine.model()).replace("$LORA", lora);
  }

  JsonNode filled(JsonNode node) {
    return switch (node) {
      case TextNode text -> TextNode.valueOf(filled(text.textValue()));
      case ObjectNode object -> computed(object).orElseGet(() -> fields(object));
      case ArrayNode array -> {
        ArrayNode filled = NODES.arrayNode();
        array.forEach(item -> filled.add(filled(item)));
        yield filled;
      }
      default -> node;
    };
  }

  private ObjectNode fields(ObjectNode object) {
    ObjectNode filled = NODES.objectNode();
    object.properties().forEach(field -> filled.set(field.getKey(), filled(field.getValue())));
    return filled;
  }

  private Optional<JsonNode> computed(ObjectNode object) {
    if (object.has("$context")) {
      return Optional.of(IntNode.valueOf(size(object, "$context")));
    }
    if (object.has("$ids")) {
      ArrayNode ids = NODES.arrayNode();
      for (int i = size(object, "$ids"); i > 0; i--) {
        ids.add(SOME_TOKEN);
      }
      return Optional.of(ids);
    }
    if (object.has("$text")) {
      return Optional.of(TextNode.valueOf("word ".repeat(size(object, "$text"))));
    }
    return Optional.empty();
  }

  private int size(ObjectNode object, String key) {
    return engine.maxModelLen() + object.path(key).asInt();
  }
}
