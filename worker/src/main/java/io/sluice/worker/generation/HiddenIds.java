package io.sluice.worker.generation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.worker.engine.Chunk;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.resume.Continuation;

/**
 * Removes from the frames of an engine the token ids that only the worker asked for, and prompt ids
 * that contain output of earlier attempts. Immutable.
 */
final class HiddenIds {
  /** The field of a frame or a choice with the ids of the prompt. */
  private static final String PROMPT_TOKEN_IDS = "prompt_token_ids";

  private final boolean areIdsOurs;
  private final boolean hidesPromptIds;

  /**
   * @param withIds whether the worker asks the engine for token ids
   */
  HiddenIds(boolean withIds, OpenAiRequest body, Continuation continuation) {
    this.areIdsOurs = withIds && !body.asksForTokenIds();
    this.hidesPromptIds = areIdsOurs || continuation.tokens() > 0;
  }

  /** Returns a frame as the caller may see it. Changes the tree of a frame that has one. */
  EngineEvent.Tokens shown(EngineEvent.Tokens frame) {
    return switch (frame.chunk()) {
      case Chunk.Text ignored -> areIdsOurs || frame.tokenIds().isEmpty() ? frame : frame.asTree();
      case Chunk.Tree(ObjectNode json) -> {
        hide(json);
        for (Choice choice : Choice.ofChunk(json)) {
          if (choice.json() instanceof ObjectNode fields) {
            hide(fields);
          }
        }
        yield frame;
      }
    };
  }

  private void hide(ObjectNode fields) {
    if (areIdsOurs) {
      fields.remove(Choice.TOKEN_IDS);
    }
    if (hidesPromptIds) {
      fields.remove(PROMPT_TOKEN_IDS);
    }
  }
}
