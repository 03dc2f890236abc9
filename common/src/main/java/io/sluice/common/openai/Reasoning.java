package io.sluice.common.openai;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * The reasoning of a model. vLLM has it in {@code reasoning}, older releases and other engines in
 * {@code reasoning_content}, and some send the same text under both names.
 */
public final class Reasoning {
  /** The fields of a message, or of a delta, that may have it. The first with a text applies. */
  public static final List<String> FIELDS = List.of("reasoning", "reasoning_content");

  private Reasoning() {}

  /** Returns the reasoning in a message or a delta; empty if it has none. */
  public static String of(JsonNode message) {
    for (String field : FIELDS) {
      JsonNode text = message.path(field);
      if (text.isTextual() && !text.textValue().isEmpty()) {
        return text.textValue();
      }
    }
    return "";
  }
}
