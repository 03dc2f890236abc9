package io.sluice.worker.engine;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.AnswerEnvelope;
import io.sluice.common.openai.Choice;
import io.sluice.common.protocol.Json;

/** What one frame with choices says. */
public sealed interface Chunk {

  /**
   * Text with which the only choice of an answer continues, as in most frames of a stream. The
   * frame says nothing else that a reader could miss; its token ids are in {@link
   * EngineEvent.Tokens}.
   *
   * @param field {@link Choice#TEXT} of a completion, or the field of a chat's delta
   */
  record Text(String field, String text) implements Chunk {
    @Override
    public ObjectNode toJson() {
      ObjectNode frame = Json.mapper().createObjectNode();
      ObjectNode choice = frame.putArray(AnswerEnvelope.CHOICES).addObject().put("index", 0);
      (field.equals(Choice.TEXT) ? choice : choice.putObject(Choice.DELTA)).put(field, text);
      return frame;
    }
  }

  /**
   * Any other frame.
   *
   * @param json as the engine sent it; the receiver may change it
   */
  record Tree(ObjectNode json) implements Chunk {
    @Override
    public ObjectNode toJson() {
      return json;
    }
  }

  /** Returns the frame as JSON, of a {@link Text} with the choice only. */
  ObjectNode toJson();
}
