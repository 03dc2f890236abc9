package io.sluice.worker.answer;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.worker.engine.Chunk;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.resume.Continuation;
import io.sluice.worker.resume.IdUse;
import java.util.Optional;
import java.util.Set;

/**
 * Removes from the frames of an engine the token ids that only the worker asked for, and prompt ids
 * that contain output of earlier attempts. Immutable.
 */
public final class HiddenIds {
  /** The field of a frame or a choice with the ids of the prompt. */
  private static final String PROMPT_TOKEN_IDS = "prompt_token_ids";

  /** The fields of a choice that say nothing beyond its output. */
  private static final Set<String> PLAIN_FIELDS = Set.of("index", Choice.DELTA, Choice.TEXT);

  private final boolean areIdsOurs;
  private final boolean areIdsLifeSigns;
  private final boolean hidesPromptIds;

  /**
   * @param use what the worker asks the engine for token ids for
   */
  public HiddenIds(IdUse use, OpenAiRequest body, Continuation continuation) {
    this.areIdsOurs = use != IdUse.NONE && !body.asksForTokenIds();
    this.areIdsLifeSigns = areIdsOurs && use == IdUse.LIFE_SIGN;
    this.hidesPromptIds = areIdsOurs || continuation.tokens() > 0;
  }

  /**
   * Returns a frame as the caller may see it; empty if its ids were only a sign of life and it says
   * nothing else. Changes the tree of a frame that has one.
   */
  public Optional<EngineEvent.Tokens> shown(EngineEvent.Tokens frame) {
    EngineEvent.Tokens shown = withoutHidden(frame);
    if (!areIdsLifeSigns) {
      return Optional.of(shown);
    }
    return saysSomething(shown.chunk()) ? Optional.of(shown.withoutIds()) : Optional.empty();
  }

  private EngineEvent.Tokens withoutHidden(EngineEvent.Tokens frame) {
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

  private static boolean saysSomething(Chunk chunk) {
    return switch (chunk) {
      case Chunk.Text text -> !text.text().isEmpty();
      case Chunk.Tree(ObjectNode json) ->
          Choice.ofChunk(json).stream().anyMatch(HiddenIds::saysSomething);
    };
  }

  private static boolean saysSomething(Choice choice) {
    return choice.hasOutput()
        || choice.message().hasNonNull("role")
        || choice.json().properties().stream()
            .anyMatch(
                field -> !PLAIN_FIELDS.contains(field.getKey()) && !field.getValue().isNull());
  }
}
