package io.sluice.producer.reply;

import io.sluice.common.openai.Choice;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.reply.Utf8Text;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;

/** An event of a reply stream. Events are ordered, and exactly one {@link Terminal} ends them. */
public sealed interface ReplyEvent {

  /**
   * The next tokens.
   *
   * @param decodedText the text, if the client has decoded it already; callers use {@link #text}.
   *     It counts for equality
   * @param index the number of output tokens before these
   * @param count the number of these tokens; 0 for text that the engine held back until the end
   * @param latencyMillis since the request's append time; for the first tokens this is the TTFT
   * @param value of the record: an OpenAI chunk
   */
  record Tokens(
      Optional<String> decodedText,
      int index,
      int count,
      OptionalLong latencyMillis,
      Optional<String> worker,
      Utf8Text value)
      implements ReplyEvent {

    /** Creates the event of tokens whose text is known. */
    public Tokens(
        String text,
        int index,
        int count,
        OptionalLong latencyMillis,
        Optional<String> worker,
        Utf8Text value) {
      this(Optional.of(text), index, count, latencyMillis, worker, value);
    }

    /**
     * Returns the first choice's text of these tokens; empty for tokens that are not text. Each
     * call decodes the chunk, unless {@link #decodedText} is present.
     */
    public String text() {
      return decodedText.orElseGet(() -> Choice.firstTextOfChunk(value.json()));
    }

    /** Returns the chunk as text. */
    public String json() {
      return value.toString();
    }
  }

  /**
   * Another attempt begins again. The tokens read before are discarded.
   *
   * @param tokensDiscarded the number of discarded tokens
   */
  record Restarted(int attempt, int tokensDiscarded, Optional<String> worker)
      implements ReplyEvent {}

  /** Another attempt continues after the tokens read so far. No token is lost or repeated. */
  record Resumed(int attempt, int tokensKept, Optional<String> worker) implements ReplyEvent {}

  /** The end of a stream. */
  sealed interface Terminal extends ReplyEvent {}

  /**
   * The regular end, with the whole answer.
   *
   * @param value of the last record: the closing chunk of a stream, or the whole answer. If it
   *     holds text that the engine held back, a {@link Tokens} event with the same value precedes
   * @param rest what the tokens lack of an answer that was not streamed, as a closing chunk; empty
   *     if the last record is one, or if this client itself asked for a whole answer
   */
  record Completed(Answer answer, Utf8Text value, Optional<Utf8Text> rest) implements Terminal {

    /** Creates the end of a stream. */
    public Completed(Answer answer, Utf8Text value) {
      this(answer, value, Optional.empty());
    }

    /** Returns the value as text. */
    public String json() {
      return value.toString();
    }

    /** Returns the end as that of a stream. */
    public Completed asStreamed() {
      return new Completed(answer, rest.orElse(value));
    }
  }

  /**
   * The end with an error.
   *
   * @param retryAfterMillis the time after which a retry makes sense, if it is known
   * @param json the error in OpenAI's format
   * @param isLocal whether this client detected it; the log does not say so, and another reader may
   *     see another end
   */
  record Failed(
      ErrorKind kind, String message, OptionalLong retryAfterMillis, String json, boolean isLocal)
      implements Terminal {

    /** Creates an error that is in the log. */
    public Failed(ErrorKind kind, String message, OptionalLong retryAfterMillis, String json) {
      this(kind, message, retryAfterMillis, json, false);
    }

    /** Returns an error that the client itself detected. */
    public static Failed local(ErrorKind kind, String message) {
      return new Failed(
          kind,
          message,
          OptionalLong.empty(),
          new String(kind.toJson(message), StandardCharsets.UTF_8),
          true);
    }
  }
}
