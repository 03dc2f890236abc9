package io.sluice.router.request;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/**
 * Values as routers stored them before values had a version number, which is version 1. They are
 * kept so that every later version is tested with them: never change them.
 */
public final class StoredValues {
  /** A value and its key in the changelog. */
  public record Kept(String requestId, byte[] value) {
    public boolean isJson() {
      return value[0] == '{';
    }
  }

  private StoredValues() {}

  /**
   * Returns one value of each kind. A line has the key, and the value as JSON or in hexadecimal
   * digits.
   */
  public static List<Kept> recorded() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(StoredValues.class.getResourceAsStream("stored-values-1.txt"))) {
      return new String(in.readAllBytes(), UTF_8)
          .lines()
          .map(line -> line.split(" ", 2))
          .map(
              words ->
                  new Kept(
                      words[0],
                      words[1].startsWith("{")
                          ? words[1].getBytes(UTF_8)
                          : HexFormat.of().parseHex(words[1])))
          .toList();
    }
  }

  /**
   * Returns the recorded JSON values with each field in turn missing, null, or of another type,
   * each under an id of its own.
   */
  public static List<Kept> damaged() throws IOException {
    List<Kept> damaged = new ArrayList<>();
    for (Kept kept : recorded().stream().filter(Kept::isJson).toList()) {
      JsonNodeFactory nodes = JsonNodeFactory.instance;
      List<JsonNode> wrong =
          List.of(
              nodes.missingNode(),
              nodes.nullNode(),
              nodes.textNode("wrong"),
              nodes.numberNode(-7),
              nodes.objectNode(),
              nodes.arrayNode().add(nodes.nullNode()));
      for (String pointer : pointers(Json.tree(kept.value()), "")) {
        for (JsonNode each : wrong) {
          ObjectNode json = (ObjectNode) Json.tree(kept.value());
          replace(json, pointer, each);
          String id = kept.requestId() + "-" + damaged.size();
          String named = Json.text(json).replace(quoted(kept.requestId()), quoted(id));
          damaged.add(new Kept(id, named.getBytes(UTF_8)));
        }
      }
    }
    return damaged;
  }

  private static String quoted(String requestId) {
    return "\"request_id\":\"%s\"".formatted(requestId);
  }

  private static List<String> pointers(JsonNode node, String at) {
    List<String> found = new ArrayList<>();
    node.properties()
        .forEach(
            field -> {
              found.add(at + "/" + field.getKey());
              found.addAll(pointers(field.getValue(), at + "/" + field.getKey()));
            });
    if (node instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        found.addAll(pointers(array.get(i), at + "/" + i));
      }
    }
    return found;
  }

  private static void replace(ObjectNode json, String pointer, JsonNode value) {
    int slash = pointer.lastIndexOf('/');
    ObjectNode parent = (ObjectNode) json.at(pointer.substring(0, slash));
    if (value.isMissingNode()) {
      parent.remove(pointer.substring(slash + 1));
    } else {
      parent.set(pointer.substring(slash + 1), value);
    }
  }
}
