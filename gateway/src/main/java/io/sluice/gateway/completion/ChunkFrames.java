package io.sluice.gateway.completion;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.AnswerEnvelope;
import io.sluice.common.openai.StreamUsage;
import io.sluice.common.reply.Utf8Text;
import io.sluice.gateway.http.ApiError;
import io.sluice.producer.reply.ReplyEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * The data of the server-sent events of one streamed completion, as OpenAI's API sends them. An
 * error is the last event; only a whole answer ends with {@code [DONE]}. Not thread-safe.
 */
public final class ChunkFrames {
  /** Ends a whole answer. */
  public static final Utf8Text DONE = Utf8Text.of("[DONE]");

  private final StreamUsage usageIn;
  private final DistinctEvents distinct = new DistinctEvents();
  private boolean hasSentTokens;
  private boolean isEnded;

  /**
   * @param usageIn where the stream reports its usage
   */
  public ChunkFrames(StreamUsage usageIn) {
    this.usageIn = usageIn;
  }

  /** Returns whether the last event was an end, regular or not. */
  public boolean isEnded() {
    return isEnded;
  }

  /** Returns the data of the next events, without {@link #DONE}. */
  public List<Utf8Text> of(ReplyEvent event) {
    List<Utf8Text> frames = new ArrayList<>(2);
    for (ReplyEvent certain : distinct.of(event)) {
      frames.addAll(framesOf(certain));
    }
    return frames;
  }

  private List<Utf8Text> framesOf(ReplyEvent event) {
    return switch (event) {
      case ReplyEvent.Tokens tokens -> {
        hasSentTokens = true;
        yield List.of(tokens.value());
      }
      case ReplyEvent.Resumed _ -> List.of();
      case ReplyEvent.Restarted _ when !hasSentTokens -> List.of();
      case ReplyEvent.Restarted _ -> end(error(ApiError.restarted()));
      case ReplyEvent.Completed completed -> end(closing(completed.value()));
      case ReplyEvent.Failed failed -> end(error(ApiError.of(failed)));
    };
  }

  private static List<Utf8Text> error(ApiError error) {
    return List.of(Utf8Text.of(error.toText()));
  }

  private List<Utf8Text> end(List<Utf8Text> last) {
    isEnded = true;
    return last;
  }

  /** The pool reports the usage in the closing chunk; OpenAI sends it in one of its own. */
  private List<Utf8Text> closing(Utf8Text value) {
    ObjectNode chunk = (ObjectNode) value.knownJson();
    JsonNode usage =
        usageIn == StreamUsage.IN_EACH_CHUNK ? chunk.path("usage") : chunk.remove("usage");
    Utf8Text closing = Utf8Text.ofJson(chunk);
    if (usageIn == StreamUsage.NOWHERE || usage == null || !usage.isObject()) {
      return List.of(closing);
    }
    chunk.putArray(AnswerEnvelope.CHOICES);
    chunk.set("usage", usage);
    return List.of(closing, Utf8Text.ofJson(chunk));
  }
}
