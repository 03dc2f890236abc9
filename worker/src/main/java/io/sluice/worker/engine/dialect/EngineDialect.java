package io.sluice.worker.engine.dialect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.openai.StreamUsage;
import io.sluice.worker.engine.EngineAnswer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * What one kind of engine understands and says beyond OpenAI's own interface. The defaults describe
 * a server that has OpenAI's {@code /v1/chat/completions} and nothing more, so a dialect overrides
 * only what its engine has. Dialects are stateless and thread-safe.
 *
 * <p>To add an engine, implement this interface, add the class to {@link EngineDialects}, and add a
 * fake of the engine to the contract test.
 */
public interface EngineDialect {

  /** Returns the name in logs, which is also the {@code owned_by} of the engine's models. */
  String name();

  /** Returns whether a model card of {@code /v1/models} comes from this kind of engine. */
  default boolean owns(JsonNode card) {
    return card.path("owned_by").asText().equals(name());
  }

  /**
   * Returns the longest context of the model on a card, in tokens; empty if the card does not say.
   */
  default OptionalInt context(JsonNode card) {
    return positive(card.path("max_model_len"));
  }

  /**
   * Returns the path that is asked whether the engine is alive. Its answer must not wait behind the
   * engine's work.
   */
  default String livenessPath() {
    return "/health";
  }

  /**
   * Returns whether an answer of {@link #livenessPath} says that the engine is dead, and its
   * requests lost.
   */
  default boolean isDead(EngineAnswer liveness) {
    return liveness.status() == 503;
  }

  /** Returns the path of the engine's metrics in Prometheus' text format. */
  default String metricsPath() {
    return "/metrics";
  }

  /**
   * Returns the names of the engine's metrics; those of {@link EngineMetric} it does not have are
   * absent.
   */
  default MetricNames metrics() {
    return MetricNames.NONE;
  }

  /**
   * Makes a request ask for a stream that reports its usage, and keeps the caller's other {@code
   * stream_options}.
   *
   * @return the body's {@code stream_options}
   */
  default ObjectNode askForStream(ObjectNode body) {
    return StreamUsage.askFor(body);
  }

  /**
   * Returns whether a finish reason means that the engine gave up, and not that the answer is
   * complete.
   */
  default boolean isAbort(String finishReason) {
    return false;
  }

  /**
   * Returns the error in an answer that reports one, or in an event of a stream: an object with a
   * {@code message}, or a text. A missing node if the answer is not in the engine's format.
   */
  default JsonNode error(JsonNode answer) {
    return answer.path("error");
  }

  /** Returns whether the error of a 400 says that the prompt does not fit into the context. */
  default boolean isPromptTooLong(JsonNode error) {
    return error.path("code").asText().equals("context_length_exceeded");
  }

  /**
   * Returns whether the error of a 400 objects to the limit of output tokens. The engine may have
   * lowered that limit itself, to the room that the prompt leaves.
   */
  default boolean isLimitRefused(JsonNode error) {
    return false;
  }

  /**
   * Returns the request options that the engine refuses if it has a draft model. Such engines
   * sample token by token, and keep no alternatives.
   */
  default List<String> refusedWithDraft() {
    return List.of("best_of", "beam_search");
  }

  /**
   * Returns whether a request has options beyond OpenAI's own that keep state in the engine which
   * text and tokens do not show, or that would change what follows. Its answer is not continued.
   */
  default boolean isStateful(OpenAiRequest request) {
    return false;
  }

  /**
   * Returns whether a stream's head comes as soon as the engine has the request, before the first
   * token.
   */
  default boolean hasEarlyHead() {
    return false;
  }

  /**
   * Returns whether the engine may make tokens of the answer that it does not stream, or not at
   * once. A stream is silent meanwhile, unless it has the ids of the tokens.
   */
  default boolean mayWithhold(OpenAiRequest request) {
    return request.isSet("tools") || request.isSet("functions");
  }

  /**
   * Returns the request options beyond OpenAI's own that are numbers. Where the engine also accepts
   * a text, an answer is not continued, because what is left of the number is not known.
   */
  default Set<String> numericOptions() {
    return Set.of();
  }

  /**
   * Returns the request options that ask for a least number of output tokens. Tokens that an answer
   * has count towards it.
   */
  default Set<String> minimumOptions() {
    return Set.of();
  }

  /**
   * Returns the request options that truncate the prompt. A prompt with an answer's text behind it
   * would be truncated at another place.
   */
  default Set<String> truncatingOptions() {
    return Set.of();
  }

  /** Returns how the engine continues an assistant's message; empty if it cannot. */
  default Optional<MessageContinuation> messageContinuation() {
    return Optional.empty();
  }

  /** Returns how the engine reports token ids and takes them as a prompt; empty if it does not. */
  default Optional<TokenIdSupport> tokenIds() {
    return Optional.empty();
  }

  /**
   * Returns how the engine is asked for its own limit of output tokens; empty if it does not tell.
   */
  default Optional<OutputLimitProbe> outputLimit() {
    return Optional.empty();
  }

  /** Returns the value as an integer if it is one above 0, else empty. */
  static OptionalInt positive(JsonNode value) {
    return value.canConvertToInt() && value.asInt() > 0
        ? OptionalInt.of(value.asInt())
        : OptionalInt.empty();
  }
}
