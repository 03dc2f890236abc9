package io.sluice.common.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The tokens that an answer used.
 *
 * @param cachedTokens prompt tokens that came from the prefix cache, if the engine reports them
 * @param reasoningTokens completion tokens that are reasoning, if the engine reports them
 */
public record Usage(
    int promptTokens, int completionTokens, OptionalInt cachedTokens, OptionalInt reasoningTokens) {

  /** The usage of an answer that does not report it. */
  public static final Usage NONE = of(0, 0);

  /** Returns a usage without details. */
  public static Usage of(int promptTokens, int completionTokens) {
    return new Usage(promptTokens, completionTokens, OptionalInt.empty(), OptionalInt.empty());
  }

  /** Returns the usage in a chunk or in a whole answer; empty if that has none. */
  public static Optional<Usage> in(JsonNode answer) {
    return parse(answer.path("usage"));
  }

  /** Parses OpenAI's {@code usage} object; empty if the value is not one. */
  public static Optional<Usage> parse(JsonNode json) {
    if (!json.path("completion_tokens").canConvertToInt()) {
      return Optional.empty();
    }
    OptionalInt reasoning = integer(json.path("completion_tokens_details"), "reasoning_tokens");
    return Optional.of(
        new Usage(
            json.path("prompt_tokens").asInt(),
            json.path("completion_tokens").asInt(),
            integer(json.path("prompt_tokens_details"), "cached_tokens"),
            // SGLang has the field outside of the details.
            reasoning.isPresent() ? reasoning : integer(json, "reasoning_tokens")));
  }

  private static OptionalInt integer(JsonNode json, String field) {
    JsonNode value = json.path(field);
    return value.canConvertToInt() ? OptionalInt.of(value.asInt()) : OptionalInt.empty();
  }

  /**
   * Returns OpenAI's {@code usage} object.
   *
   * @param madeTwice completion tokens that had to be generated again; included if above 0
   */
  public ObjectNode toJson(int madeTwice) {
    ObjectNode json = Json.mapper().createObjectNode();
    json.put("prompt_tokens", promptTokens);
    json.put("total_tokens", promptTokens + completionTokens);
    json.put("completion_tokens", completionTokens);
    cachedTokens.ifPresent(
        tokens -> json.putObject("prompt_tokens_details").put("cached_tokens", tokens));
    ObjectNode details = Json.mapper().createObjectNode();
    reasoningTokens.ifPresent(tokens -> details.put("reasoning_tokens", tokens));
    if (madeTwice > 0) {
      details.put("recomputed_tokens", madeTwice);
    }
    if (!details.isEmpty()) {
      json.set("completion_tokens_details", details);
    }
    return json;
  }
}
