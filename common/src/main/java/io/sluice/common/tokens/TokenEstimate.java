package io.sluice.common.tokens;

import com.fasterxml.jackson.databind.JsonNode;
import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;

/**
 * Estimates how many tokens a request's prompt has. Every model has its own tokenizer; this one
 * (cl100k) is within some 10 % for English text, which is enough to choose a lane. Exact for texts
 * up to {@value #EXACT_CHARS} characters; longer ones are sampled at three places, so that a huge
 * prompt costs no more than a long one. Thread-safe.
 */
public final class TokenEstimate {
  private static final int EXACT_CHARS = 24_000;
  private static final int SAMPLE_CHARS = 8_000;

  /** What a chat template adds around each message, and before the answer. */
  private static final int TOKENS_PER_MESSAGE = 4;

  private static final int TOKENS_BEFORE_ANSWER = 3;

  private final Encoding encoding =
      Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.CL100K_BASE);

  /** Tokens of a plain text. */
  public long ofText(String text) {
    if (text.length() <= EXACT_CHARS) {
      return encoding.countTokensOrdinary(text);
    }
    int last = text.length() - SAMPLE_CHARS;
    long sampled = countSample(text, 0) + countSample(text, last / 2) + countSample(text, last);
    return Math.ceilDiv(sampled * text.length(), 3L * SAMPLE_CHARS);
  }

  /**
   * Tokens of a chat's messages, with what the template adds; anything but an array counts as
   * nothing.
   */
  public long ofMessages(JsonNode messages) {
    long tokens = TOKENS_BEFORE_ANSWER;
    for (JsonNode message : messages) {
      tokens += TOKENS_PER_MESSAGE + ofContent(message.path("content"));
    }
    return tokens;
  }

  /** Tokens of a completion's prompt: a text, token ids, or an array of either. */
  public long ofPrompt(JsonNode prompt) {
    if (prompt.isTextual()) {
      return ofText(prompt.asText());
    }
    long tokens = 0;
    for (JsonNode part : prompt) {
      tokens += part.isNumber() ? 1 : ofPrompt(part);
    }
    return tokens;
  }

  /** A message's content: a text, or an array of parts of which those with a text count. */
  private long ofContent(JsonNode content) {
    if (content.isTextual()) {
      return ofText(content.asText());
    }
    long tokens = 0;
    for (JsonNode part : content) {
      tokens += ofText(part.path("text").asText(""));
    }
    return tokens;
  }

  private long countSample(String text, int from) {
    return encoding.countTokensOrdinary(text.substring(from, from + SAMPLE_CHARS));
  }
}
