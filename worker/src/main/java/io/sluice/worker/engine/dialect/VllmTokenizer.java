package io.sluice.worker.engine.dialect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Endpoint;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineQuestions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** vLLM's tokenizer, by its endpoints {@code /tokenize} and {@code /detokenize}. */
final class VllmTokenizer implements EngineTokenizer {
  private static final String TOKENIZE = "/tokenize";
  private static final String DETOKENIZE = "/detokenize";

  /** The fields of a chat that its template depends on; {@code /tokenize} has the same names. */
  private static final List<String> TEMPLATE_FIELDS =
      List.of(
          "messages",
          "add_generation_prompt",
          "continue_final_message",
          "add_special_tokens",
          "chat_template",
          "chat_template_kwargs");

  private final EngineQuestions engine;

  VllmTokenizer(EngineQuestions engine) {
    this.engine = engine;
  }

  @Override
  public Optional<Prompt> prompt(OpenAiRequest request)
      throws EngineException, InterruptedException {
    Optional<Prompt> prompt =
        request.endpoint() == Endpoint.COMPLETIONS ? ofCompletion(request) : ofChat(request);
    return prompt.flatMap(whole -> truncated(whole, request));
  }

  @Override
  public Optional<List<Integer>> tokens(String text) throws EngineException, InterruptedException {
    return ids(tokenize(text, false).path("tokens"));
  }

  @Override
  public Optional<String> text(List<Integer> ids) throws EngineException, InterruptedException {
    ObjectNode question = engine.question();
    ArrayNode tokens = question.putArray("tokens");
    ids.forEach(tokens::add);
    JsonNode text = engine.ask(DETOKENIZE, question).path("prompt");
    return text.isTextual() ? Optional.of(text.asText()) : Optional.empty();
  }

  private Optional<Prompt> ofCompletion(OpenAiRequest request)
      throws EngineException, InterruptedException {
    JsonNode prompt = request.prompt();
    if (prompt.isArray()) {
      // The ids are known; the question is only how long the context is.
      JsonNode answer = tokenize(" ", true);
      return ids(prompt).map(ids -> new Prompt(ids, maxModelLen(answer)));
    }
    ObjectNode question = engine.question();
    question.set("prompt", prompt);
    copy("add_special_tokens", request, question);
    return tokenized(question);
  }

  private Optional<Prompt> ofChat(OpenAiRequest request)
      throws EngineException, InterruptedException {
    if (!isText(request.messages())) {
      return Optional.empty();
    }
    ObjectNode question = engine.question();
    TEMPLATE_FIELDS.forEach(field -> copy(field, request, question));
    return tokenized(question);
  }

  private Optional<Prompt> tokenized(ObjectNode question)
      throws EngineException, InterruptedException {
    JsonNode answer = engine.ask(TOKENIZE, question);
    return ids(answer.path("tokens")).map(ids -> new Prompt(ids, maxModelLen(answer)));
  }

  private JsonNode tokenize(String text, boolean withSpecialTokens)
      throws EngineException, InterruptedException {
    ObjectNode question = engine.question();
    question.put("prompt", text).put("add_special_tokens", withSpecialTokens);
    return engine.ask(TOKENIZE, question);
  }

  /**
   * Truncates as vLLM does. A negative number asks for as many tokens as fit, and only the engine
   * knows how many that is.
   */
  private static Optional<Prompt> truncated(Prompt prompt, OpenAiRequest request) {
    JsonNode wanted = request.get("truncate_prompt_tokens");
    if (wanted.isMissingNode() || wanted.isNull()) {
      return Optional.of(prompt);
    }
    if (!wanted.canConvertToInt() || wanted.asInt() < 1) {
      return Optional.empty();
    }
    List<Integer> ids = prompt.ids();
    int kept = Math.min(wanted.asInt(), ids.size());
    boolean isRight = request.get("truncation_side").asText("left").equals("right");
    return Optional.of(
        new Prompt(
            isRight ? ids.subList(0, kept) : ids.subList(ids.size() - kept, ids.size()),
            prompt.maxModelLen()));
  }

  private static void copy(String field, OpenAiRequest from, ObjectNode to) {
    JsonNode value = from.get(field);
    if (!value.isMissingNode()) {
      to.set(field, value);
    }
  }

  /** Images and sounds take more tokens than their placeholders in the text. */
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

  private static OptionalInt maxModelLen(JsonNode answer) {
    JsonNode length = answer.path("max_model_len");
    return length.canConvertToInt() ? OptionalInt.of(length.asInt()) : OptionalInt.empty();
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
