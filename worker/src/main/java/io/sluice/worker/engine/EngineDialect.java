package io.sluice.worker.engine;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * What one kind of engine understands and says beyond OpenAI's own interface. Without a state, and
 * so thread-safe. A new kind is a class that implements this, and a line in {@link EngineDialects}.
 */
public interface EngineDialect {

  /** Its name in logs, and as the owner of its models. */
  String name();

  /** Whether a card of {@code /v1/models} is of such an engine. */
  default boolean owns(JsonNode card) {
    return card.path("owned_by").asText().equals(name());
  }

  /** The longest context of a card's model, in tokens; empty if the card does not say. */
  default OptionalInt context(JsonNode card) {
    return positive(card.path("max_model_len"));
  }

  /**
   * What it calls its metrics in Prometheus' text format, each by its names in all releases, the
   * newest first; what is absent it does not tell.
   */
  default Map<EngineMetric, List<String>> metrics() {
    return Map.of();
  }

  /** Whether it tells usage in each chunk where {@code continuous_usage_stats} asks for it. */
  default boolean tellsRunningUsage() {
    return false;
  }

  /** Whether an error of 400 says that the prompt does not fit into the context. */
  default boolean isPromptTooLong(JsonNode error) {
    return error.path("code").asText().equals("context_length_exceeded");
  }

  /**
   * Whether an error of 400 objects to the limit of output tokens, which the engine may have
   * lowered itself to the room that the prompt leaves.
   */
  default boolean isLimitRefused(JsonNode error) {
    return false;
  }

  /** Whether it can go on in the middle of an assistant's message. */
  default boolean continuesChats() {
    return false;
  }

  /**
   * Whether it tells token ids with {@code return_token_ids}, and takes them as a prompt, and has
   * vLLM's {@code /tokenize} and {@code /detokenize}. Older releases ignore the field.
   */
  default boolean givesTokenIds() {
    return false;
  }

  /**
   * Whether it names the most tokens it would generate when it is asked for more, by {@code
   * min_tokens}, before it generates any.
   */
  default boolean tellsOutputLimit() {
    return false;
  }

  /** A whole number above 0, if it is one. */
  static OptionalInt positive(JsonNode value) {
    return value.canConvertToInt() && value.asInt() > 0
        ? OptionalInt.of(value.asInt())
        : OptionalInt.empty();
  }
}
