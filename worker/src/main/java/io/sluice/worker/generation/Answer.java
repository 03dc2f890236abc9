package io.sluice.worker.generation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.Usage;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The whole of an answer, for its final record. Of a streamed one only the ends are kept: its text
 * is in the log already. Not thread-safe.
 */
final class Answer {
  private static final String LENGTH = "length";

  private final boolean isStream;
  private final Continuation continuation;
  private final Map<Integer, MergedChoice> choices = new TreeMap<>();
  private Envelope envelope;
  private boolean hasFrames;
  private Optional<Usage> usage = Optional.empty();

  Answer(boolean isStream, Continuation continuation, Envelope envelope) {
    this.isStream = isStream;
    this.continuation = continuation;
    this.envelope = envelope;
  }

  /** Takes a frame in. */
  void add(EngineEvent.Tokens tokens) {
    if (!hasFrames) {
      envelope = envelope.of(tokens.chunk());
      hasFrames = true;
    }
    tokens.usage().ifPresent(running -> usage = Optional.of(running));
    for (JsonNode choice : tokens.chunk().path("choices")) {
      boolean isEnd = choice.path("finish_reason").isTextual();
      if (!isStream || isEnd) {
        choice(choice.path("index").asInt(0)).add(choice);
      }
    }
  }

  /** The engine has finished; its usage counts for more than what it said on the way. */
  void finish(Optional<Usage> total) {
    usage = total.or(() -> usage);
  }

  /** There was nothing left to make. */
  void finishByLength() {
    ObjectNode end = Json.mapper().createObjectNode();
    choice(0).add(end.put("finish_reason", LENGTH));
  }

  Envelope envelope() {
    return envelope;
  }

  /** Of the first choice. */
  String finishReason() {
    return choices.values().stream()
        .flatMap(choice -> choice.finishReason().stream())
        .findFirst()
        .orElse("stop");
  }

  /**
   * Tokens of the whole request. What earlier attempts made was prompt to this engine, but is
   * output to the caller.
   */
  Optional<Usage> usage() {
    int before = continuation.text().isEmpty() ? 0 : continuation.tokens();
    return usage.map(
        own ->
            new Usage(
                Math.max(0, own.promptTokens() - before),
                own.completionTokens() + continuation.tokens(),
                own.cachedTokens()));
  }

  /** The value of the final record. */
  byte[] finalValue() {
    ArrayNode array = Json.mapper().createArrayNode();
    for (MergedChoice choice : choices.values()) {
      array.add(
          isStream
              ? choice.toClosingChunk(envelope.endpoint())
              : choice.toWhole(envelope.endpoint()));
    }
    ObjectNode value = isStream ? envelope.chunk(array) : envelope.whole(array);
    usage().ifPresent(total -> value.set("usage", total.toJson()));
    return Json.bytes(value);
  }

  private MergedChoice choice(int index) {
    return choices.computeIfAbsent(
        index,
        number -> {
          var choice = new MergedChoice(number);
          if (!isStream && number == 0 && !continuation.text().isEmpty()) {
            choice.begin(continuation.text());
          }
          return choice;
        });
  }
}
