package io.sluice.worker.engine;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.Usage;
import java.util.List;
import java.util.Optional;

/** What an engine says of a running generation, in this order: head, tokens, finish. */
public sealed interface EngineEvent {

  /** The engine has taken the request; it may still wait in its queue. */
  record Head() implements EngineEvent {}

  /**
   * One frame with choices.
   *
   * @param chunk the frame as the engine sent it; may be changed by the receiver
   * @param completionTokens output tokens of this generation so far, this frame's included, over
   *     all choices
   * @param tokenIds the ids of this frame's tokens where the engine gives them, else empty
   * @param usage the running usage where the engine gives it
   * @param bytes how long the frame is as the engine wrote it
   */
  record Tokens(
      ObjectNode chunk,
      int completionTokens,
      List<Integer> tokenIds,
      Optional<Usage> usage,
      int bytes)
      implements EngineEvent {}

  /**
   * The generation is whole.
   *
   * @param usage empty for engines that give none
   */
  record Finish(Optional<Usage> usage) implements EngineEvent {}
}
