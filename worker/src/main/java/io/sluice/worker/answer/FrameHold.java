package io.sluice.worker.answer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.worker.engine.Chunk;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.resume.Resumability;
import java.util.ArrayList;
import java.util.List;

/**
 * Holds frames back until the answer may be cut after them: after tokens whose text is complete,
 * and not inside a possible stop text. An attempt that resumes at such a place by token ids
 * produces exactly the text that would have followed. The engine is asked to include stop texts;
 * this class removes them. For answers with one choice; not thread-safe.
 *
 * <p>Sometimes every place may be inside a stop text (a ruler of dashes, and a stop text that
 * begins with dashes), or tokens have no text for long. So at most {@value #MOST_FRAMES} frames are
 * held: then all frames pass that are not part of the stop text that may have begun.
 */
public final class FrameHold {
  private static final int MOST_FRAMES = 16;

  /** A frame, and where the answer would end after it. */
  private record Held(EngineEvent.Tokens frame, int characters, boolean endsInsideCharacter) {
    Held with(Chunk chunk) {
      return new Held(frame.with(chunk), characters, endsInsideCharacter);
    }
  }

  private final boolean isNeeded;
  private final List<String> stopTexts;
  private final boolean keepsStopText;
  private final List<Held> held = new ArrayList<>();
  private final StringBuilder heldText = new StringBuilder();
  private boolean endsInsideCharacter;

  /**
   * A hold without frames.
   *
   * @param isNeeded if false, all frames pass unchanged
   */
  public FrameHold(boolean isNeeded, OpenAiRequest body) {
    this.isNeeded = isNeeded;
    this.stopTexts = body.stopTexts();
    this.keepsStopText = body.keepsStopText();
  }

  /** Takes the next frame and returns the frames that may pass now, in order. */
  public List<EngineEvent.Tokens> add(EngineEvent.Tokens frame) {
    if (!isNeeded) {
      return List.of(frame);
    }
    return switch (frame.chunk()) {
      case Chunk.Text(String field, String text) -> {
        took(!text.isEmpty(), frame);
        if (held.isEmpty() && stopTexts.isEmpty() && !endsInsideCharacter) {
          yield List.of(frame);
        }
        hold(frame, text);
        yield release(passing());
      }
      case Chunk.Tree(ObjectNode json) -> add(frame, json);
    };
  }

  private List<EngineEvent.Tokens> add(EngineEvent.Tokens frame, ObjectNode json) {
    boolean isEnd = false;
    JsonNode stopReason = MissingNode.getInstance();
    var text = new StringBuilder();
    for (Choice choice : Choice.ofChunk(json)) {
      text.append(choice.allText());
      took(choice.hasOutput(), frame);
      if (choice.isEnd()) {
        isEnd = true;
        stopReason = choice.stopReason();
      }
    }
    hold(frame, text);
    if (isEnd) {
      cut(stopReason);
    }
    return release(isEnd ? held.size() : passing());
  }

  /** Tokens without text form a character together with the next tokens. */
  private void took(boolean hasText, EngineEvent.Tokens frame) {
    endsInsideCharacter = !hasText && (endsInsideCharacter || !frame.tokenIds().isEmpty());
  }

  private void hold(EngineEvent.Tokens frame, CharSequence text) {
    heldText.append(text);
    held.add(new Held(frame, text.length(), endsInsideCharacter));
  }

  /**
   * Returns how many frames may pass. Text before them can no longer become part of a stop text.
   */
  private int passing() {
    int stopStart = heldText.length() - Resumability.stopBegun(heldText.toString(), stopTexts);
    int allowed = 0;
    int safe = 0;
    int end = 0;
    for (Held next : held) {
      end += next.characters();
      if (end > stopStart) {
        break;
      }
      allowed++;
      boolean isInside =
          next.endsInsideCharacter()
              || Resumability.endsInsideStop(heldText.substring(0, end), stopTexts);
      safe = isInside ? safe : allowed;
    }
    return held.size() > MOST_FRAMES ? allowed : safe;
  }

  private List<EngineEvent.Tokens> release(int frames) {
    List<Held> passing = held.subList(0, frames);
    List<EngineEvent.Tokens> released = passing.stream().map(Held::frame).toList();
    heldText.delete(0, passing.stream().mapToInt(Held::characters).sum());
    passing.clear();
    return released;
  }

  /** Removes the stop text. It began after the last safe place, so all of it is held. */
  private void cut(JsonNode stopReason) {
    if (keepsStopText || !stopReason.isTextual() || !endsWith(stopReason.asText())) {
      return;
    }
    int left = stopReason.asText().length();
    for (int i = held.size() - 1; i >= 0 && left > 0; i--) {
      Held last = held.get(i);
      switch (last.frame().chunk()) {
        case Chunk.Text(String field, String text) -> {
          int kept = Math.max(0, text.length() - left);
          held.set(i, last.with(new Chunk.Text(field, text.substring(0, kept))));
          left -= text.length() - kept;
        }
        case Chunk.Tree(ObjectNode json) -> {
          for (Choice choice : Choice.ofChunk(json)) {
            left = choice.shorten(left);
          }
        }
      }
    }
  }

  private boolean endsWith(String stop) {
    return stopTexts.contains(stop) && heldText.toString().endsWith(stop);
  }
}
