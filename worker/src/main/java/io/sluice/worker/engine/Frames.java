package io.sluice.worker.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Reads the choices of streamed frames. */
public final class Frames {
  private static final String TOKEN_IDS = "token_ids";
  private static final String PROMPT_TOKEN_IDS = "prompt_token_ids";

  private Frames() {}

  /** Returns the ids of a choice's tokens; missing or empty if the engine does not report them. */
  public static JsonNode tokenIds(JsonNode choice) {
    return choice.path(TOKEN_IDS);
  }

  /** Sets the ids of a choice's tokens. */
  static void showTokenIds(ObjectNode choice, List<Integer> ids) {
    ids.forEach(choice.putArray(TOKEN_IDS)::add);
  }

  /** Removes the ids of output tokens from a frame or a choice. */
  public static void hideTokenIds(ObjectNode fields) {
    fields.remove(TOKEN_IDS);
  }

  /** Removes the ids of the prompt from a frame or a choice. */
  public static void hidePromptTokenIds(ObjectNode fields) {
    fields.remove(PROMPT_TOKEN_IDS);
  }

  /**
   * Returns whether a choice has any output: text of a completion, or anything but the role in a
   * chat's delta.
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
