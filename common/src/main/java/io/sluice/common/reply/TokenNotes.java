package io.sluice.common.reply;

import static io.sluice.common.protocol.HeaderNames.FINISH_REASON;
import static io.sluice.common.protocol.HeaderNames.PROMPT_TOKENS;
import static io.sluice.common.protocol.HeaderNames.STOP_REASON;

import io.sluice.common.protocol.HeaderText;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.kafka.common.header.Headers;

/**
 * Information in a record of tokens for the attempt that continues after it.
 *
 * @param promptTokens the number of tokens of the request's own prompt, on its first record, if the
 *     engine reports it
 * @param finishReason why the answer ended with this record; empty if it did not end
 * @param stopReason what the engine adds to the finish reason, as JSON
 */
public record TokenNotes(
    OptionalInt promptTokens, Optional<String> finishReason, Optional<String> stopReason) {

  /** No notes. */
  public static final TokenNotes NONE =
      new TokenNotes(OptionalInt.empty(), Optional.empty(), Optional.empty());

  void writeTo(Headers headers) {
    promptTokens.ifPresent(tokens -> HeaderText.put(headers, PROMPT_TOKENS, tokens));
    finishReason.ifPresent(reason -> HeaderText.put(headers, FINISH_REASON, reason));
    stopReason.ifPresent(reason -> HeaderText.put(headers, STOP_REASON, reason));
  }

  static TokenNotes parse(Headers headers) {
    return new TokenNotes(
        HeaderText.getInt(headers, PROMPT_TOKENS),
        HeaderText.get(headers, FINISH_REASON),
        HeaderText.get(headers, STOP_REASON));
  }
}
