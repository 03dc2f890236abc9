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
 */
public record Usage(int promptTokens, int completionTokens, OptionalInt cachedTokens) {

  /** The usage of an answer that does not report it. */
  public static final Usage NONE = new Usage(0, 0, OptionalInt.empty());

  /** Parses OpenAI's {@code usage} object; empty if the value is not one. */
  public static Optional<Usage> parse(JsonNode json) {
    if (!json.path("completion_tokens").canConvertToInt()) {
      return Optional.empty();
    }
    JsonNode cached = json.path("prompt_tokens_details").path("cached_tokens");
    return Optional.of(
        new Usage(
            json.path("prompt_tokens").asInt(),
            json.path("completion_tokens").asInt(),
            cached.canConvertToInt() ? OptionalInt.of(cached.asInt()) : OptionalInt.empty()));
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
    if (madeTwice > 0) {
      json.putObject("completion_tokens_details").put("recomputed_tokens", madeTwice);
    }
    return json;
  }
}
