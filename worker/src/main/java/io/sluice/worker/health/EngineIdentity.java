package io.sluice.worker.health;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.worker.engine.EngineAnswer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * What an engine says of itself.
 *
 * @param models the names that it serves, the base model first
 * @param maxModelLen the longest context of its base model, in tokens
 * @param kind {@code vllm}, {@code sglang}, ...: who owns its models; empty if it does not say
 */
record EngineIdentity(List<String> models, OptionalInt maxModelLen, String kind) {
  static final EngineIdentity UNKNOWN = new EngineIdentity(List.of(), OptionalInt.empty(), "");

  /** Engines that take {@code continue_final_message}. */
  private static final Set<String> CONTINUE_CHATS = Set.of("vllm", "sglang");

  EngineIdentity {
    models = List.copyOf(models);
  }

  /** Reads the answer of {@code /v1/models}; unknown if it is no list of models. */
  static EngineIdentity parse(EngineAnswer answer) {
    if (!answer.isOk()) {
      return UNKNOWN;
    }
    try {
      return parse(Json.tree(answer.body()).path("data"));
    } catch (IOException e) {
      return UNKNOWN;
    }
  }

  /** Whether it can go on in the middle of an assistant's message. */
  boolean continuesChats() {
    return CONTINUE_CHATS.contains(kind);
  }

  private static EngineIdentity parse(JsonNode cards) {
    List<String> models = new ArrayList<>();
    for (JsonNode card : cards) {
      if (card.path("id").isTextual()) {
        models.add(card.path("id").asText());
      }
    }
    JsonNode base = cards.path(0);
    JsonNode length = base.path("max_model_len");
    return new EngineIdentity(
        models,
        length.canConvertToInt() && length.asInt() > 0
            ? OptionalInt.of(length.asInt())
            : OptionalInt.empty(),
        base.path("owned_by").asText(""));
  }
}
