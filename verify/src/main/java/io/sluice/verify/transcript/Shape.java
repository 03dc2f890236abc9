package io.sluice.verify.transcript;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The form of a JSON value as lines: the keys of each object in their order, the type of each leaf,
 * and the value of those leaves that describe the outcome. The items of a list are merged, and so
 * are the values of objects whose keys are tokens.
 */
final class Shape {

  /** The leaves whose value is compared. */
  private static final Set<String> TELLING =
      Set.of(
          "object",
          "type",
          "role",
          "param",
          "code",
          "message",
          "detail",
          "error",
          "owned_by",
          "id",
          "model",
          "name",
          "parent");

  /** The leaves that describe how generation ended. */
  private static final Set<String> ENDS = Set.of("finish_reason", "stop_reason");

  /** The objects whose keys are tokens or token ids. */
  private static final Set<String> BY_TOKEN = Set.of("top_logprobs[*]", "prompt_logprobs[*]");

  private final Set<String> lines = new LinkedHashSet<>();
  private final Wording wording;
  private final Request.Comparison comparison;

  private Shape(Wording wording, Request.Comparison comparison) {
    this.wording = wording;
    this.comparison = comparison;
  }

  static Set<String> of(JsonNode json, Wording wording, Request.Comparison comparison) {
    Shape shape = new Shape(wording, comparison);
    shape.add("", json);
    return shape.lines;
  }

  private void add(String path, JsonNode node) {
    if (node.isObject()) {
      addObject(path, node);
    } else if (node.isArray()) {
      if (node.isEmpty()) {
        lines.add(path + ": []");
      }
      node.forEach(item -> add(path + "[*]", item));
    } else {
      lines.add(path + ": " + leaf(path, node));
    }
  }

  private void addObject(String path, JsonNode node) {
    boolean byToken = BY_TOKEN.stream().anyMatch(path::endsWith) && !node.has("token");
    String keys =
        node.properties().stream().map(Map.Entry::getKey).collect(Collectors.joining(", "));
    lines.add((path.isEmpty() ? "answer" : path) + " {" + (byToken ? "*" : keys) + "}");
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      String key = byToken ? "*" : field.getKey();
      add(path.isEmpty() ? key : path + "." + key, field.getValue());
    }
  }

  private String leaf(String path, JsonNode node) {
    String name = path.substring(path.lastIndexOf('.') + 1).replace("[*]", "");
    if (ENDS.contains(name)) {
      boolean told = comparison != Request.Comparison.ANY_END;
      return told && !node.isNumber() ? node.toString() : told ? "number" : "an end";
    }
    if (TELLING.contains(name) && !node.isNull()) {
      return wording.plain(node.asText(), comparison);
    }
    return switch (node.getNodeType()) {
      case STRING -> "string";
      case NUMBER -> "number";
      case BOOLEAN -> "boolean";
      case NULL -> "null";
      default -> node.getNodeType().name();
    };
  }
}
