package io.sluice.worker.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** The fields of frames and of their choices in which engines report token ids. */
public final class TokenIdFields {
  private static final String TOKEN_IDS = "token_ids";
  private static final String PROMPT_TOKEN_IDS = "prompt_token_ids";

  private TokenIdFields() {}

  /** Returns the ids of a choice's tokens; missing or empty if the engine does not report them. */
  public static JsonNode of(JsonNode choice) {
    return choice.path(TOKEN_IDS);
  }

  /** Sets the ids of a choice's tokens. */
  static void show(ObjectNode choice, List<Integer> ids) {
    ids.forEach(choice.putArray(TOKEN_IDS)::add);
  }

  /** Removes the ids of output tokens from a frame or a choice. */
  public static void hide(ObjectNode fields) {
    fields.remove(TOKEN_IDS);
  }

  /** Removes the ids of the prompt from a frame or a choice. */
  public static void hideOfPrompt(ObjectNode fields) {
    fields.remove(PROMPT_TOKEN_IDS);
  }
}
