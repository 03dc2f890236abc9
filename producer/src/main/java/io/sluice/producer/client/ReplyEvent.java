package io.sluice.producer.client;

import io.sluice.common.protocol.ErrorKind;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;

/** What happens on a reply stream, in order; exactly one {@link Terminal} ends it. */
public sealed interface ReplyEvent {

  /**
   * The next tokens.
   *
   * @param text the first choice's text of these tokens; empty for tokens that are no text
   * @param index how many output tokens precede these
   * @param count how many tokens these are; 0 for text that the engine held back until the end
   * @param latencyMillis since the request's append time; for the first tokens this is the TTFT
   * @param json the record's value: an OpenAI chunk
   */
  record Tokens(
      String text,
      int index,
      int count,
      OptionalLong latencyMillis,
      Optional<String> worker,
      String json)
      implements ReplyEvent {}

  /**
   * Another attempt begins again: what was read before is void.
   *
   * @param tokensDiscarded how many tokens are void
   */
  record Restarted(int attempt, int tokensDiscarded, Optional<String> worker)
      implements ReplyEvent {}

  /** Another attempt goes on after the tokens read so far; nothing is lost or doubled. */
  record Resumed(int attempt, int tokensKept, Optional<String> worker) implements ReplyEvent {}

  /** The end of a stream. */
  sealed interface Terminal extends ReplyEvent {}

  /** The regular end, with the whole answer. */
  record Completed(Answer answer) implements Terminal {}

  /**
   * The end by an error.
   *
   * @param retryAfterMillis after which a new try makes sense, where that is known
   * @param json the error in OpenAI's shape
   */
  record Failed(ErrorKind kind, String message, OptionalLong retryAfterMillis, String json)
      implements Terminal {

    /** An error that the client itself found. */
    static Failed local(ErrorKind kind, String message) {
      return new Failed(
          kind,
          message,
          OptionalLong.empty(),
          new String(kind.toJson(message), StandardCharsets.UTF_8));
    }
  }
}
