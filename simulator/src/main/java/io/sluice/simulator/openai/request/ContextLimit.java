package io.sluice.simulator.openai.request;

import io.sluice.simulator.release.Release;
import io.sluice.simulator.text.TokenIds;
import io.sluice.simulator.text.Tokenizer;
import java.util.OptionalInt;

/** Tokenizes prompts and rejects those that do not fit the context, with vLLM's messages. */
final class ContextLimit {

  /** The length of the longest token in the vocabulary: a run of spaces. */
  private static final int MOST_CHARS_PER_TOKEN = 128;

  private final Tokenizer tokenizer;
  private final int maxModelLen;

  /**
   * Whether output is limited to the room that the prompt leaves. Older servers reject the request
   * instead.
   */
  private final boolean clamps;

  ContextLimit(Tokenizer tokenizer, int maxModelLen, Release release) {
    this.tokenizer = tokenizer;
    this.maxModelLen = maxModelLen;
    this.clamps = !release.before(32);
  }

  void checkMaxTokens(OptionalInt maxTokens) {
    if (maxTokens.isPresent() && maxTokens.getAsInt() < 1) {
      int value = maxTokens.getAsInt();
      throw ApiError.badValue(
          "max_tokens", value, "max_tokens must be at least 1, got " + value + ".");
    }
    if (maxTokens.orElse(0) > maxModelLen) {
      int value = maxTokens.getAsInt();
      throw ApiError.badValue(
          "max_tokens",
          value,
          "max_tokens=%s cannot be greater than max_model_len=%s%s. Please request fewer output tokens."
              .formatted(value, clamps ? "" : "max_total_tokens=", maxModelLen));
    }
  }

  /** Encodes a prompt, only as far as needed to know whether it fits. */
  TokenIds encode(String prompt, OptionalInt maxTokens) {
    int limit = clamps ? maxModelLen : maxModelLen - maxTokens.orElse(0);
    checkChars(prompt, limit, maxTokens);
    Tokenizer.Encoded encoded = tokenizer.encode(prompt, limit + 1);
    check(encoded.ids(), maxTokens, encoded.truncated() ? "at least " : "");
    return encoded.ids();
  }

  /** Checks a prompt of token ids. */
  TokenIds accept(TokenIds prompt, OptionalInt maxTokens) {
    check(prompt, maxTokens, "");
    return prompt;
  }

  /**
   * Checks what vLLM detects only behind the front end: ids without a token, and a prompt that
   * fills the context completely.
   */
  void checkLate(TokenIds prompt) {
    for (int i = 0; i < prompt.size(); i++) {
      if (!tokenizer.contains(prompt.get(i))) {
        throw ApiError.badRequest("Token id " + prompt.get(i) + " is out of vocabulary").lazily();
      }
    }
    if (!clamps && prompt.size() == maxModelLen) {
      throw ApiError.badRequest(
              "The decoder prompt (length %s) plus the number of requested output tokens (at least 1) is longer than the maximum model length of %s. Make sure that `max_model_len` is no smaller than the number of text tokens (prompt + requested output tokens)."
                  .formatted(prompt.size(), maxModelLen))
          .lazily();
    }
  }

  /**
   * Checks the minimum number of tokens. Without a limit in the request, the rest of the context is
   * the limit.
   */
  void checkMinTokens(int minTokens, OptionalInt maxTokens, TokenIds prompt) {
    int room = maxModelLen - prompt.size();
    int most = Math.min(room, maxTokens.orElse(room));
    if (minTokens > most) {
      throw ApiError.badRequest(
          "min_tokens must be less than or equal to max_tokens=%s, got %s."
              .formatted(most, minTokens));
    }
  }

  /** Rejects a text that is too long for any tokenization, before it is tokenized. */
  private void checkChars(String prompt, int limit, OptionalInt maxTokens) {
    long most = (long) Math.max(0, limit) * MOST_CHARS_PER_TOKEN;
    if (prompt.length() > most) {
      throw ApiError.badValue(
          "input_text",
          prompt.length(),
          clamps
              ? "This model's maximum context length is %s tokens. However, your prompt contains %s characters (more than %s characters, which is the upper bound for %s input tokens). Please reduce the length of the input prompt."
                  .formatted(maxModelLen, prompt.length(), most, limit)
              : "This model's maximum context length is %s tokens. However, you requested %s output tokens and your prompt contains %s characters (more than %s characters, which is the upper bound for %s input tokens). Please reduce the length of the input prompt or the number of requested output tokens."
                  .formatted(maxModelLen, maxTokens.orElse(0), prompt.length(), most, limit));
    }
  }

  private void check(TokenIds prompt, OptionalInt maxTokens, String atLeast) {
    int input = prompt.size();
    int output = maxTokens.orElse(0);
    if (input == 0) {
      throw ApiError.badRequest("The decoder prompt cannot be empty");
    }
    if (clamps) {
      checkPrompt(input);
    } else if (input + output > maxModelLen) {
      throw ApiError.badValue(
          "input_tokens",
          input,
          "This model's maximum context length is %s tokens. However, you requested %s output tokens and your prompt contains %s%s input tokens, for a total of %s%s tokens. Please reduce the length of the input prompt or the number of requested output tokens."
              .formatted(maxModelLen, output, atLeast, input, atLeast, input + output));
    }
  }

  /** Checks that a prompt leaves room for one token. */
  private void checkPrompt(int tokens) {
    if (tokens == maxModelLen) {
      throw ApiError.badValue("max_tokens", 0, "max_tokens must be at least 1, got 0.");
    }
    if (tokens > maxModelLen) {
      // vLLM reads at most one token beyond the limit, and counts token ids in the same way.
      throw ApiError.badValue(
          "input_tokens",
          tokens,
          "This model's maximum context length is %s tokens. However, your prompt contains %s%s input tokens, which exceeds this limit even without any output tokens. Please reduce the length of the input prompt."
              .formatted(maxModelLen, tokens == maxModelLen + 1 ? "at least " : "", tokens));
    }
  }
}
