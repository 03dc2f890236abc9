package io.sluice.worker.engine;

import com.fasterxml.jackson.databind.JsonNode;

/** What the choices of streamed frames hold. */
public final class Frames {
  private Frames() {}

  /**
   * Whether a choice brings any output: text of a completion, or anything in a chat's delta besides
   * the role.
   */
  public static boolean hasContent(JsonNode choice) {
    if (!choice.path("text").asText("").isEmpty()) {
      return true;
    }
    for (var field : choice.path("delta").properties()) {
      JsonNode value = field.getValue();
      boolean isEmpty =
          value.isNull()
              || (value.isTextual() && value.asText().isEmpty())
              || (value.isContainerNode() && value.isEmpty());
      if (!field.getKey().equals("role") && !isEmpty) {
        return true;
      }
    }
    return false;
  }
}
