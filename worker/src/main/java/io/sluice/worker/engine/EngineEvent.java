package io.sluice.worker.engine;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.Usage;
import java.util.List;
import java.util.Optional;

/** An event of a running generation. The order is: head, tokens, finish. */
public sealed interface EngineEvent {

  /** The engine has accepted the request, which may still wait in its queue. */
  record Head() implements EngineEvent {}

  /**
   * One frame with choices.
   *
   * @param chunk what the frame says
   * @param completionTokens output tokens of this generation so far, including this frame, over all
   *     choices
   * @param tokenIds the ids of this frame's tokens; empty if the engine does not report them
   * @param usage the usage so far, if the engine reports it
   * @param bytes the size of the frame as JSON; of an answer that came as a whole, about its size
   */
  record Tokens(
      Chunk chunk, int completionTokens, List<Integer> tokenIds, Optional<Usage> usage, int bytes)
      implements EngineEvent {

    /** Returns the same frame with its token ids in the JSON, as the engine sends them. */
    public Tokens asTree() {
      ObjectNode json = chunk.toJson();
      if (chunk instanceof Chunk.Text
          && Choice.firstOfChunk(json).json() instanceof ObjectNode choice) {
        tokenIds.forEach(choice.putArray(Choice.TOKEN_IDS)::add);
      }
      return with(new Chunk.Tree(json));
    }

    /** Returns the same frame with other content. */
    public Tokens with(Chunk other) {
      return new Tokens(other, completionTokens, tokenIds, usage, bytes);
    }

    /** Returns the same frame of an engine that reports no ids; its content stays as it is. */
    public Tokens withoutIds() {
      return new Tokens(chunk, completionTokens, List.of(), usage, bytes);
    }
  }

  /**
   * The generation is complete.
   *
   * @param usage empty for engines that do not report it
   * @param extraFields the other fields of the frame with the usage, such as {@code
   *     system_fingerprint}
   */
  record Finish(Optional<Usage> usage, ObjectNode extraFields) implements EngineEvent {}
}
