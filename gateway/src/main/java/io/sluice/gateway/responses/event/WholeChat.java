package io.sluice.gateway.responses.event;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Answers that were not streamed. */
final class WholeChat {
  private WholeChat() {}

  /** Returns a {@code chat.completion} as the only chunk of a stream. */
  static ObjectNode chunk(JsonNode completion) {
    ObjectNode chunk = completion.deepCopy();
    for (JsonNode choice : chunk.path("choices")) {
      if (choice instanceof ObjectNode object
          && object.remove("message") instanceof ObjectNode message) {
        number(message.path("tool_calls"));
        object.set("delta", message);
      }
    }
    return chunk;
  }

  /** In a stream, the pieces of a call have its number. */
  private static void number(JsonNode calls) {
    int index = 0;
    for (JsonNode call : calls) {
      if (call instanceof ObjectNode object) {
        object.put("index", index++);
      }
    }
  }
}
