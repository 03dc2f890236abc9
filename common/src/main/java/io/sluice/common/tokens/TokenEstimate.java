package io.sluice.common.tokens;

import com.fasterxml.jackson.databind.JsonNode;
import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Estimates the number of tokens in a request's prompt. Each model has its own tokenizer; the one
 * used here (cl100k) is within about 10 % for English text, which is enough to choose a lane. The
 * texts of a request are counted exactly up to {@value #EXACT_CHARS} characters in total. Longer
 * ones are sampled at {@value #SAMPLES} evenly spaced places. So a huge prompt costs no more than a
 * long one, however it is divided into messages, and a prompt of mixed languages is still estimated
 * well. The first estimate in a process loads the vocabulary, which takes some 0.3 s and 13 MiB.
 * Thread-safe.
 */
public final class TokenEstimate {
  private static final int EXACT_CHARS = 24_000;
  private static final int SAMPLES = 16;
  private static final int SAMPLE_CHARS = EXACT_CHARS / SAMPLES;

  /** What a chat template adds around each message and before the answer. */
  private static final int TOKENS_PER_MESSAGE = 4;

  private static final int TOKENS_BEFORE_ANSWER = 3;

  /** Of all estimates in the process. */
  private static final class Vocabulary {
    static final Encoding CL100K =
        Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.CL100K_BASE);
  }

  /** Returns an estimate that has loaded the vocabulary, for a process that needs it at once. */
  public static TokenEstimate loaded() {
    TokenEstimate estimate = new TokenEstimate();
    estimate.ofText("");
    return estimate;
  }

  /**
   * Returns the number of tokens of a request's prompt. That of a chat includes its tools and
   * documents, of which a template shows the JSON. Pictures do not count.
   */
  public long ofPrompt(OpenAiRequest request) {
    return switch (request.endpoint()) {
      case CHAT_COMPLETIONS ->
          ofChat(request.messages(), request.get("tools"), request.get("documents"));
      case COMPLETIONS -> ofPrompt(request.prompt());
    };
  }

  /**
   * Returns the number of tokens of the longest of a request's prompts, of which a completion may
   * have several. Each is a context of its own.
   */
  public long ofLongestPrompt(OpenAiRequest request) {
    return request.prompts() == 1 ? ofPrompt(request) : ofPrompt(longest(request.prompt()));
  }

  private static JsonNode longest(JsonNode prompts) {
    JsonNode longest = prompts.path(0);
    for (JsonNode prompt : prompts) {
      longest = length(prompt) > length(longest) ? prompt : longest;
    }
    return longest;
  }

  private static int length(JsonNode prompt) {
    return prompt.isTextual() ? prompt.asText().length() : prompt.size();
  }

  /** Returns the number of tokens of a plain text. */
  public long ofText(String text) {
    return text.length() <= EXACT_CHARS ? count(text) : ofSamples(text);
  }

  private long ofChat(JsonNode messages, JsonNode tools, JsonNode documents) {
    List<String> texts = new ArrayList<>();
    addJson(tools, texts);
    addJson(documents, texts);
    long added = TOKENS_BEFORE_ANSWER;
    if (messages.isArray()) {
      added += (long) TOKENS_PER_MESSAGE * messages.size();
      for (JsonNode message : messages) {
        JsonNode content = message.path("content");
        addText(content, texts);
        content.forEach(part -> addText(part.path("text"), texts));
        addJson(message.path("tool_calls"), texts);
      }
    }
    return added + ofTexts(texts);
  }

  /**
   * Returns the number of tokens of a completion's prompt: a text, token ids, or an array of
   * either.
   */
  public long ofPrompt(JsonNode prompt) {
    List<String> texts = new ArrayList<>();
    long ids = addPrompt(prompt, texts);
    return ids + ofTexts(texts);
  }

  /** Collects a prompt's texts; returns the number of token ids in it. */
  private static long addPrompt(JsonNode prompt, List<String> texts) {
    addText(prompt, texts);
    long ids = prompt.isNumber() ? 1 : 0;
    for (JsonNode part : prompt) {
      ids += addPrompt(part, texts);
    }
    return ids;
  }

  private static void addText(JsonNode node, List<String> texts) {
    if (node.isTextual()) {
      texts.add(node.asText());
    }
  }

  private static void addJson(JsonNode node, List<String> texts) {
    if (!node.isEmpty()) {
      texts.add(Json.text(node));
    }
  }

  private long ofTexts(List<String> texts) {
    long chars = texts.stream().mapToLong(String::length).sum();
    return chars <= EXACT_CHARS
        ? texts.stream().mapToLong(this::count).sum()
        : ofSamples(String.join("", texts));
  }

  /** Counts one sample from the middle of each of equally long sections. */
  private long ofSamples(String text) {
    long sampled = 0;
    for (int i = 0; i < SAMPLES; i++) {
      long middle = (long) text.length() * (2 * i + 1) / (2 * SAMPLES);
      int from = (int) middle - SAMPLE_CHARS / 2;
      sampled += count(text.substring(from, from + SAMPLE_CHARS));
    }
    return Math.ceilDiv(sampled * text.length(), (long) SAMPLES * SAMPLE_CHARS);
  }

  /** Unpaired surrogates, from the edge of a sample or from the caller, count as question marks. */
  private long count(String text) {
    String wellFormed = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    return Vocabulary.CL100K.countTokensOrdinary(wellFormed);
  }
}
