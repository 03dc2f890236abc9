package io.sluice.worker.generation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import io.sluice.worker.engine.EngineAnswer;
import io.sluice.worker.engine.EngineClient;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** What an engine's tokenizer makes of a request. For one thread. */
final class PromptTokens {
  private static final Duration ANSWER_BOUND = Duration.ofSeconds(2);
  private static final int SERVER_ERRORS = 500;

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

  private final EngineClient engine;
  private final RequestBody body;
  private final Optional<String> model;
  private Optional<Prompt> known = Optional.empty();

  /**
   * The tokens of this request's prompt.
   *
   * @param model replaces the caller's
   */
  PromptTokens(EngineClient engine, RequestBody body, Optional<String> model) {
    this.engine = engine;
    this.body = body;
    this.model = model;
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
    ObjectNode question = question();
    ArrayNode tokens = question.putArray("tokens");
    ids.subList(Math.max(0, ids.size() - TAIL_TOKENS), ids.size()).forEach(tokens::add);
    JsonNode tail = ask("/detokenize", question).path("prompt");
    return tail.isTextual()
        && (text.endsWith(BROKEN_CHARACTER) || !tail.asText().endsWith(BROKEN_CHARACTER));
  }

  private Optional<Prompt> tokenized() throws EngineException, InterruptedException {
    JsonNode prompt = body.get("prompt");
    if (body.endpoint() == Endpoint.COMPLETIONS && prompt.isArray()) {
      return ids(prompt).map(ids -> new Prompt(ids, OptionalInt.empty()));
    }
    ObjectNode question = question();
    if (body.endpoint() == Endpoint.COMPLETIONS) {
      question.set("prompt", prompt);
      copy("add_special_tokens", question);
    } else if (isText(body.get("messages"))) {
      TEMPLATE_FIELDS.forEach(field -> copy(field, question));
    } else {
      return Optional.empty();
    }
    JsonNode answer = ask("/tokenize", question);
    JsonNode length = answer.path("max_model_len");
    return ids(answer.path("tokens"))
        .map(
            ids ->
                new Prompt(
                    ids,
                    length.canConvertToInt()
                        ? OptionalInt.of(length.asInt())
                        : OptionalInt.empty()));
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

  private ObjectNode question() {
    ObjectNode question = Json.mapper().createObjectNode();
    Optional<String> name = model.or(() -> Optional.of(body.model()).filter(m -> !m.isEmpty()));
    name.ifPresent(it -> question.put("model", it));
    return question;
  }

  private void copy(String field, ObjectNode question) {
    JsonNode value = body.get(field);
    if (!value.isMissingNode()) {
      question.set(field, value);
    }
  }

  /** Nothing if the engine does not know, or takes too long; one that is ill is no judge. */
  private JsonNode ask(String path, ObjectNode question)
      throws EngineException, InterruptedException {
    try {
      EngineAnswer answer = engine.post(path, Json.bytes(question), ANSWER_BOUND);
      if (answer.status() >= SERVER_ERRORS) {
        throw new EngineException(
            new EngineFailure.Unable(
                answer.status(), path + " answers " + answer.status(), OptionalLong.empty()));
      }
      return answer.isOk() ? Json.tree(answer.body()) : Json.mapper().missingNode();
    } catch (EngineException e) {
      if (e.failure() instanceof EngineFailure.Silent) {
        return Json.mapper().missingNode();
      }
      throw e;
    } catch (IOException e) {
      return Json.mapper().missingNode();
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
