package io.sluice.worker.answer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.AnswerEnvelope;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.JsonSizes;
import io.sluice.common.openai.MergedChoice;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Json;
import io.sluice.common.reply.TokenNotes;
import io.sluice.worker.engine.Chunk;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.resume.Continuation;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * Collects an answer for its final record. For a streamed answer it keeps only the ends of the
 * choices, because the text is in the log already. Not thread-safe.
 */
public final class Answer {
  /** For engines that give no finish reason. */
  public static final String USUAL_END = "stop";

  private final boolean isStream;
  private final Continuation continuation;
  private final Map<Integer, MergedChoice> choices = new TreeMap<>();
  private final ObjectNode extraFields = Json.mapper().createObjectNode();
  private AnswerEnvelope envelope;
  private boolean hasFrames;
  private Optional<Usage> usage = Optional.empty();

  /**
   * An answer without frames.
   *
   * @param envelope replaced by the first frame's, unless an earlier attempt has begun the answer
   */
  public Answer(boolean isStream, Continuation continuation, AnswerEnvelope envelope) {
    this.isStream = isStream;
    this.continuation = continuation;
    this.envelope = continuation.origin().map(envelope::with).orElse(envelope);
  }

  /** Adds a frame. */
  public void add(EngineEvent.Tokens tokens) {
    tokens.usage().ifPresent(running -> usage = Optional.of(running));
    switch (tokens.chunk()) {
      case Chunk.Text(String field, String text) -> {
        if (!isStream) {
          choice(0).addText(field, text);
        }
      }
      case Chunk.Tree(ObjectNode json) -> add(json);
    }
  }

  /** Returns about how many bytes of a frame a whole answer keeps. */
  public static long bytesOf(EngineEvent.Tokens tokens) {
    return switch (tokens.chunk()) {
      case Chunk.Text(String _, String text) -> text.length();
      case Chunk.Tree(ObjectNode json) ->
          Choice.ofChunk(json).stream().mapToLong(choice -> bytesOf(choice.json())).sum();
    };
  }

  /** Texts are merged, and everything else is kept as it came. */
  private static long bytesOf(JsonNode choice) {
    long bytes = 0;
    for (Map.Entry<String, JsonNode> field : choice.properties()) {
      bytes +=
          switch (field.getKey()) {
            case Choice.DELTA, Choice.TEXT -> JsonSizes.characters(field.getValue());
            default -> field.getValue().isContainerNode() ? JsonSizes.ofText(field.getValue()) : 0;
          };
    }
    return bytes;
  }

  private void add(ObjectNode frame) {
    if (!hasFrames) {
      boolean isBegun = continuation.origin().isPresent();
      envelope = isBegun ? envelope.withModelOf(frame) : envelope.of(frame);
      hasFrames = true;
    }
    for (Choice choice : Choice.ofChunk(frame)) {
      if (!isStream || choice.isEnd()) {
        choice(choice.index()).add(choice.json());
        extraFields.setAll(AnswerEnvelope.extraFields(frame));
      }
    }
  }

  /** The engine has finished. The usage that it reports at the end replaces the running usage. */
  public void finish(EngineEvent.Finish finish) {
    usage = finish.usage().or(() -> usage);
    extraFields.setAll(finish.extraFields());
  }

  /** The earlier attempts made the whole answer; only its end is missing. */
  public void finish(Continuation.Finished finished) {
    ObjectNode end = Json.mapper().createObjectNode().put("finish_reason", finished.reason());
    finished.stopReason().ifPresent(reason -> end.set("stop_reason", reason));
    choice(0).add(end);
  }

  public AnswerEnvelope envelope() {
    return envelope;
  }

  /** Returns the finish reason of the first choice that has one. */
  public String finishReason() {
    return choices.values().stream()
        .flatMap(choice -> choice.finishReason().stream())
        .findFirst()
        .orElse(USUAL_END);
  }

  /**
   * Returns how the answer ended, for a later attempt that has to repeat the end; empty before the
   * end.
   */
  public TokenNotes notes(OptionalInt promptTokens) {
    MergedChoice only = choices.get(0);
    return new TokenNotes(
        promptTokens,
        only == null ? Optional.empty() : only.finishReason(),
        only == null ? Optional.empty() : only.stopReason().map(JsonNode::toString));
  }

  /**
   * Tokens of the whole request. Tokens of earlier attempts were part of this engine's prompt, but
   * are output to the caller.
   */
  public Optional<Usage> usage() {
    int before = continuation.tokens();
    OptionalInt begunWith = continuation.begun().promptTokens();
    if (usage.isEmpty()) {
      return before > 0 && begunWith.isPresent()
          ? Optional.of(Usage.of(begunWith.getAsInt(), before))
          : Optional.empty();
    }
    Usage own = usage.get();
    int inPrompt = continuation.text().isEmpty() ? 0 : before;
    int promptTokens =
        before > 0 && begunWith.isPresent()
            ? begunWith.getAsInt()
            : Math.max(0, own.promptTokens() - inPrompt);
    OptionalInt cached = own.cachedTokens();
    return Optional.of(
        new Usage(
            promptTokens,
            own.completionTokens() + before,
            cached.isPresent() ? OptionalInt.of(Math.min(cached.getAsInt(), promptTokens)) : cached,
            before > 0 ? OptionalInt.empty() : own.reasoningTokens()));
  }

  /** Returns the value of the final record. */
  public byte[] finalValue() {
    ArrayNode array = Json.mapper().createArrayNode();
    for (MergedChoice choice : choices.values()) {
      ObjectNode end =
          isStream
              ? choice.toClosingChunk(envelope.endpoint())
              : choice.toWhole(envelope.endpoint());
      array.add(end.put("finish_reason", choice.finishReason().orElse(USUAL_END)));
    }
    ObjectNode value = isStream ? envelope.chunk(array) : envelope.whole(array);
    value.setAll(extraFields);
    usage()
        .ifPresent(
            total -> value.set("usage", total.toJson(continuation.begun().discardedTokens())));
    return Json.bytes(value);
  }

  private MergedChoice choice(int index) {
    return choices.computeIfAbsent(
        index,
        number -> {
          MergedChoice choice = MergedChoice.compact(number);
          if (!isStream && number == 0 && continuation.tokens() > 0) {
            choice.begin(continuation.text());
          }
          return choice;
        });
  }
}
