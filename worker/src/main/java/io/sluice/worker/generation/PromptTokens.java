package io.sluice.worker.generation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.worker.engine.EngineException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** What an engine's tokenizer makes of a request. For one thread. */
final class PromptTokens {
  /** More than a character takes, in tokens. */
  private static final int TAIL_TOKENS = 16;

  private static final String BROKEN_CHARACTER = "\uFFFD";

  /** What the chat template gets, as vLLM's {@code /tokenize} calls it. */
  private static final List<String> TEMPLATE_FIELDS =
      List.of(
          "messages",
          "add_generation_prompt",
          "continue_final_message",
          "add_special_tokens",
          "chat_template",
          "chat_template_kwargs");

  /**
   * A prompt in tokens.
   *
   * @param maxModelLen the engine's longest context, where it told
   */
  record Prompt(List<Integer> ids, OptionalInt maxModelLen) {}

  private final EngineQuestions engine;
  private final RequestBody body;
  private Optional<Prompt> known = Optional.empty();

  PromptTokens(EngineQuestions engine, RequestBody body) {
    this.engine = engine;
    this.body = body;
  }

  /**
   * The prompt's ids as a generation would have them; empty if the engine does not tell, or the
   * prompt is not of tokens alone.
   *
   * @throws EngineException if the engine is not well
   */
  Optional<Prompt> ask() throws EngineException, InterruptedException {
    if (known.isEmpty()) {
      known = tokenized().flatMap(this::truncated);
    }
    return known;
  }

  /**
   * Whether a text is all of its tokens' text. An engine that gives several tokens at once may have
   * held back a character that the last of them begin.
   *
   * @throws EngineException if the engine is not well
   */
  boolean isWholeText(List<Integer> ids, String text) throws EngineException, InterruptedException {
    ObjectNode question = engine.question();
    ArrayNode tokens = question.putArray("tokens");
    ids.subList(Math.max(0, ids.size() - TAIL_TOKENS), ids.size()).forEach(tokens::add);
    JsonNode tail = engine.ask("/detokenize", question).path("prompt");
    return tail.isTextual()
        && (text.endsWith(BROKEN_CHARACTER) || !tail.asText().endsWith(BROKEN_CHARACTER));
  }

  /**
   * Whether the engine, given a text, has the very tokens that it is made of; then it goes on after
   * the text as it would have gone on after them.
   *
   * @throws EngineException if the engine is not well
   */
  boolean areTokensOf(List<Integer> ids, String text) throws EngineException, InterruptedException {
    JsonNode answer = tokenize(text, false);
    return ids(answer.path("tokens")).equals(Optional.of(ids));
  }

  private JsonNode tokenize(String text, boolean withSpecialTokens)
      throws EngineException, InterruptedException {
    ObjectNode question = engine.question();
    question.put("prompt", text).put("add_special_tokens", withSpecialTokens);
    return engine.ask("/tokenize", question);
  }

  private Optional<Prompt> tokenized() throws EngineException, InterruptedException {
    JsonNode prompt = body.get("prompt");
    if (body.endpoint() == Endpoint.COMPLETIONS && prompt.isArray()) {
      // Asked for the length of the context alone.
      JsonNode answer = tokenize(" ", true);
      return ids(prompt).map(ids -> new Prompt(ids, maxModelLen(answer)));
    }
    ObjectNode question = engine.question();
    if (body.endpoint() == Endpoint.COMPLETIONS) {
      question.set("prompt", prompt);
      copy("add_special_tokens", question);
    } else if (isText(body.get("messages"))) {
      TEMPLATE_FIELDS.forEach(field -> copy(field, question));
    } else {
      return Optional.empty();
    }
    JsonNode answer = engine.ask("/tokenize", question);
    return ids(answer.path("tokens")).map(ids -> new Prompt(ids, maxModelLen(answer)));
  }

  private static OptionalInt maxModelLen(JsonNode answer) {
    JsonNode length = answer.path("max_model_len");
    return length.canConvertToInt() ? OptionalInt.of(length.asInt()) : OptionalInt.empty();
  }

  /** As the engine would; what "as long as possible" comes to, it alone knows. */
  private Optional<Prompt> truncated(Prompt prompt) {
    JsonNode wanted = body.get("truncate_prompt_tokens");
    if (wanted.isMissingNode() || wanted.isNull()) {
      return Optional.of(prompt);
    }
    if (!wanted.canConvertToInt() || wanted.asInt() < 1) {
      return Optional.empty();
    }
    List<Integer> ids = prompt.ids();
    int kept = Math.min(wanted.asInt(), ids.size());
    boolean isRight = body.get("truncation_side").asText("left").equals("right");
    return Optional.of(
        new Prompt(
            isRight ? ids.subList(0, kept) : ids.subList(ids.size() - kept, ids.size()),
            prompt.maxModelLen()));
  }

  private void copy(String field, ObjectNode question) {
    JsonNode value = body.get(field);
    if (!value.isMissingNode()) {
      question.set(field, value);
    }
  }

  /** A picture or a sound is more than its place in the text. */
  private static boolean isText(JsonNode messages) {
    for (JsonNode message : messages) {
      for (JsonNode part : message.path("content")) {
        if (!part.path("type").asText("").equals("text")) {
          return false;
        }
      }
    }
    return true;
  }

  private static Optional<List<Integer>> ids(JsonNode array) {
    List<Integer> ids = new ArrayList<>();
    for (JsonNode id : array) {
      if (!id.isInt()) {
        return Optional.empty();
      }
      ids.add(id.asInt());
    }
    return ids.isEmpty() ? Optional.empty() : Optional.of(List.copyOf(ids));
  }
}
