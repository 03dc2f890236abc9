package io.sluice.common.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Turns answers that were not streamed into chunks of a stream. */
public final class WholeAnswers {
  private WholeAnswers() {}

  /** Turns each choice of an answer into the choice of a chunk, in place. */
  public static void toChunk(ObjectNode answer) {
    if (answer.path("object").asText().equals(AnswerEnvelope.WHOLE_CHAT)) {
      answer.put("object", AnswerEnvelope.CHUNK_OF_CHAT);
    }
    answer.path(AnswerEnvelope.CHOICES).forEach(WholeAnswers::toDelta);
  }

  /**
   * Turns a choice into that of a chunk, in place: its message becomes a delta, and tool calls get
   * the numbers by which readers of a stream merge them. A choice of a completion stays as it is.
   */
  public static void toDelta(JsonNode choice) {
    if (choice instanceof ObjectNode object
        && object.remove(Choice.MESSAGE) instanceof ObjectNode message) {
      int index = 0;
      for (JsonNode call : message.path(ToolCall.FIELD)) {
        if (call instanceof ObjectNode numbered) {
          numbered.put("index", index++);
        }
      }
      object.set(Choice.DELTA, message);
    }
  }
}
