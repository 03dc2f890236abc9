package io.sluice.gateway.completion;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.http.ApiError;
import io.sluice.producer.client.ReplyEvent;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The data of the server-sent events of one streamed completion, as OpenAI's API sends them. An
 * error is the last event; only a whole answer ends with {@code [DONE]}. Not thread-safe.
 */
final class ChunkFrames {
  /** Ends a whole answer. */
  static final String DONE = "[DONE]";

  private final boolean isUsageWanted;
  private final boolean isUsageInEachChunk;
  private boolean hasSentTokens;
  private boolean isEnded;
  private @Nullable String heldBack;

  /**
   * @param body the request's
   */
  ChunkFrames(JsonNode body) {
    JsonNode options = body.path("stream_options");
    this.isUsageWanted = options.path("include_usage").asBoolean(false);
    this.isUsageInEachChunk =
        isUsageWanted && options.path("continuous_usage_stats").asBoolean(false);
  }

  /** Returns whether the last event was an end, regular or not. */
  boolean isEnded() {
    return isEnded;
  }

  /** Returns the data of the next events, without {@link #DONE}. */
  List<String> of(ReplyEvent event) {
    String earlier = heldBack;
    heldBack = null;
    return switch (event) {
      // The closing chunk may come twice, as tokens and as the end.
      case ReplyEvent.Tokens tokens when tokens.count() == 0 -> {
        heldBack = tokens.json();
        yield earlier == null ? List.of() : tokens(earlier);
      }
      case ReplyEvent.Tokens tokens ->
          earlier == null ? tokens(tokens.json()) : List.of(earlier, tokens.json());
      case ReplyEvent.Resumed _ -> earlier == null ? List.of() : tokens(earlier);
      case ReplyEvent.Restarted _ when !hasSentTokens -> List.of();
      case ReplyEvent.Restarted _ -> {
        isEnded = true;
        yield List.of(ApiError.restarted().toText());
      }
      case ReplyEvent.Completed completed -> {
        isEnded = true;
        yield closing(completed.json());
      }
      case ReplyEvent.Failed failed -> {
        isEnded = true;
        yield List.of(ApiError.of(failed).toText());
      }
    };
  }

  private List<String> tokens(String json) {
    hasSentTokens = true;
    return List.of(json);
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
