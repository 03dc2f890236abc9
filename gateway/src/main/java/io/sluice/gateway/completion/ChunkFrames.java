package io.sluice.gateway.completion;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.http.ApiError;
import io.sluice.producer.client.ReplyEvent;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The data of the server-sent events of one streamed completion, as OpenAI's API sends them. An
 * error is the last event; only a whole answer ends with {@code [DONE]}. Not thread-safe.
 */
public final class ChunkFrames {
  /** Ends a whole answer. */
  public static final String DONE = "[DONE]";

  private final boolean isUsageWanted;
  private final boolean isUsageInEachChunk;
  private boolean hasSentTokens;
  private boolean isEnded;
  private @Nullable String heldBack;

  /**
   * @param body the request's
   */
  public ChunkFrames(JsonNode body) {
    JsonNode options = body.path("stream_options");
    this.isUsageWanted = options.path("include_usage").asBoolean(false);
    this.isUsageInEachChunk =
        isUsageWanted && options.path("continuous_usage_stats").asBoolean(false);
  }

  /** Returns whether the last event was an end, regular or not. */
  public boolean isEnded() {
    return isEnded;
  }

  /** Returns the data of the next events, without {@link #DONE}. */
  public List<String> of(ReplyEvent event) {
    List<String> frames = new ArrayList<>(2);
    releaseHeldBack(event, frames);
    switch (event) {
      case ReplyEvent.Tokens tokens when tokens.count() == 0 -> heldBack = tokens.json();
      case ReplyEvent.Tokens tokens -> frames.add(tokens.json());
      case ReplyEvent.Resumed _ -> {}
      case ReplyEvent.Restarted _ when !hasSentTokens -> {}
      case ReplyEvent.Restarted _ -> end(frames, List.of(ApiError.restarted().toText()));
      case ReplyEvent.Completed completed -> end(frames, closing(completed.json()));
      case ReplyEvent.Failed failed -> end(frames, List.of(ApiError.of(failed).toText()));
    }
    hasSentTokens |= !frames.isEmpty();
    return frames;
  }

  /** A closing chunk that holds text comes twice: as tokens without a count, and as the end. */
  private void releaseHeldBack(ReplyEvent next, List<String> frames) {
    String chunk = heldBack;
    heldBack = null;
    boolean comesAgain =
        next instanceof ReplyEvent.Completed completed && completed.json().equals(chunk);
    if (chunk != null && !comesAgain) {
      frames.add(chunk);
      hasSentTokens = true;
    }
  }

  private void end(List<String> frames, List<String> last) {
    isEnded = true;
    frames.addAll(last);
  }

  /** The pool reports the usage in the closing chunk; OpenAI sends it in one of its own. */
  private List<String> closing(String json) {
    ObjectNode chunk = parse(json);
    JsonNode usage = isUsageInEachChunk ? chunk.path("usage") : chunk.remove("usage");
    String closing = Json.text(chunk);
    if (!isUsageWanted || usage == null || !usage.isObject()) {
      return List.of(closing);
    }
    chunk.putArray("choices");
    chunk.set("usage", usage);
    return List.of(closing, Json.text(chunk));
  }

  private static ObjectNode parse(String json) {
    try {
      return (ObjectNode) Json.mapper().readTree(json);
    } catch (JsonProcessingException e) {
      // The client has parsed it before.
      throw new UncheckedIOException(e);
    }
  }
}
