package io.sluice.worker.engine;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;

/** What one frame with choices says. */
public sealed interface Chunk {

  /**
   * Text with which the only choice of an answer continues, as in most frames of a stream. The
   * frame says nothing else that a reader could miss; its token ids are in {@link
   * EngineEvent.Tokens}.
   *
   * @param field {@code text} of a completion, or the field of a chat's delta
   */
  record Text(String field, String text) implements Chunk {
    /** The field of a completion. */
    public static final String OF_COMPLETION = "text";

    @Override
    public ObjectNode toJson() {
      ObjectNode frame = Json.mapper().createObjectNode();
      ObjectNode choice = frame.putArray("choices").addObject().put("index", 0);
      (field.equals(OF_COMPLETION) ? choice : choice.putObject("delta")).put(field, text);
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
