package io.sluice.worker.engine.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.AnswerEnvelope;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.JsonSizes;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.Json;
import io.sluice.worker.engine.Chunk;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.engine.dialect.EngineDialects;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Turns the data of server-sent events into engine events. A generation is complete after {@code
 * [DONE]}. For engines that do not send it, it is complete when every choice has its {@code
 * finish_reason} and the response ends. Not thread-safe.
 */
final class ChunkReader {
  private static final byte[] DONE = "[DONE]".getBytes(StandardCharsets.US_ASCII);

  private final Map<Integer, Integer> tokensPerChoice = new HashMap<>();
  private final Set<Integer> open = new HashSet<>();
  private boolean sawFinishReason;
  private final ObjectNode extraFields = Json.mapper().createObjectNode();
  private Optional<Usage> usage = Optional.empty();
  private boolean hasFrames;

  /** Reads the data of one event; empty if it has no choices. */
  Optional<EngineEvent> read(byte[] data) throws EngineException {
    if (Arrays.equals(data, DONE)) {
      return Optional.of(finish());
    }
    // The first frame is always read as a whole, for the fields around its choices.
    Optional<TextFrame> text = hasFrames ? TextFrame.parse(data) : Optional.empty();
    if (text.isPresent()) {
      return Optional.of(tokens(text.get(), data.length));
    }
    if (!(parse(data) instanceof ObjectNode frame)) {
      throw broken(FailureCode.GARBLED, "the engine sent an event that is not a JSON object");
    }
    return read(frame, data.length);
  }

  /** Reads a frame of an answer that came as a whole. */
  Optional<EngineEvent> read(ObjectNode frame) throws EngineException {
    return read(frame, Math.toIntExact(JsonSizes.ofText(frame)));
  }

  private Optional<EngineEvent> read(ObjectNode frame, int bytes) throws EngineException {
    hasFrames = true;
    JsonNode error = EngineDialects.error(frame);
    if (error.isObject() || error.isTextual()) {
      throw new EngineException(ErrorAnswer.ofFrame(frame, tokens() > 0));
    }
    Optional<Usage> frameUsage = Usage.in(frame);
    List<Choice> choices = Choice.ofChunk(frame);
    if (choices.isEmpty()) {
      frameUsage.ifPresent(total -> usage = Optional.of(total));
      extraFields.setAll(AnswerEnvelope.extraFields(frame));
      return Optional.empty();
    }
    return Optional.of(tokens(frame, choices, frameUsage, bytes));
  }

  /** The engine has said that the answer is complete. */
  EngineEvent finish() throws EngineException {
    if (!sawFinishReason) {
      throw broken(FailureCode.CUT, "the engine ended its stream before the answer was complete");
    }
    return new EngineEvent.Finish(usage, extraFields);
  }

  /** The response has ended without {@code [DONE]}. */
  EngineEvent end() throws EngineException {
    if (!sawFinishReason || !open.isEmpty()) {
      throw broken(FailureCode.CUT, "the engine's stream ended before the answer was complete");
    }
    return new EngineEvent.Finish(usage, extraFields);
  }

  private EngineEvent.Tokens tokens(TextFrame frame, int bytes) {
    boolean hasContent = !frame.chunk().text().isEmpty();
    count(0, frame.tokenIds().size(), hasContent, frame.usage());
    open.add(0);
    return tokens(frame.chunk(), frame.tokenIds(), frame.usage(), bytes);
  }

  private EngineEvent.Tokens tokens(
      ObjectNode frame, List<Choice> choices, Optional<Usage> frameUsage, int bytes)
      throws EngineException {
    List<Integer> tokenIds = new ArrayList<>();
    for (Choice choice : choices) {
      JsonNode ids = choice.tokenIds();
      ids.forEach(id -> tokenIds.add(id.asInt()));
      count(choice.index(), ids.size(), choice.hasOutput(), frameUsage);
      noteFinish(choice);
    }
    return tokens(new Chunk.Tree(frame), tokenIds, frameUsage, bytes);
  }

  private EngineEvent.Tokens tokens(
      Chunk chunk, List<Integer> tokenIds, Optional<Usage> frameUsage, int bytes) {
    if (frameUsage.isPresent() && tokensPerChoice.size() == 1) {
      usage = frameUsage;
    }
    return new EngineEvent.Tokens(chunk, tokens(), tokenIds, frameUsage, bytes);
  }

  /** Returns the output tokens so far, over all choices. */
  private int tokens() {
    int total = 0;
    for (int tokens : tokensPerChoice.values()) {
      total += tokens;
    }
    return total;
  }

  /**
   * Continuous usage counts the tokens of the frame's own choice. Without it, each frame with
   * content counts as one token.
   */
  private void count(int index, int ids, boolean hasContent, Optional<Usage> frameUsage) {
    int before = tokensPerChoice.getOrDefault(index, 0);
    int now;
    if (frameUsage.isPresent()) {
      now = Math.max(before, frameUsage.get().completionTokens());
    } else if (ids > 0) {
      now = before + ids;
    } else {
      now = before + (hasContent ? 1 : 0);
    }
    tokensPerChoice.put(index, now);
  }

  private void noteFinish(Choice choice) throws EngineException {
    Optional<String> reason = choice.finishReason();
    if (reason.isEmpty()) {
      open.add(choice.index());
      return;
    }
    if (EngineDialects.isAbort(reason.get())) {
      throw broken(FailureCode.ABORT, "the engine aborted the generation");
    }
    sawFinishReason = true;
    open.remove(choice.index());
  }

  private static JsonNode parse(byte[] data) throws EngineException {
    try {
      return Json.tree(data);
    } catch (IOException e) {
      return parseLeniently(data);
    }
  }

  /** Replaces bytes that are not UTF-8, so that one bad character does not fail the attempt. */
  private static JsonNode parseLeniently(byte[] data) throws EngineException {
    try {
      String text = new String(data, StandardCharsets.UTF_8);
      return Json.tree(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw broken(FailureCode.GARBLED, "the engine sent an event that is not JSON");
    }
  }

  private static EngineException broken(FailureCode code, String message) {
    return new EngineException(new EngineFailure.Broken(code, message));
  }
}
