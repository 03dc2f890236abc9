package io.sluice.worker.health;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.worker.engine.EngineAnswer;
import io.sluice.worker.engine.EngineDialect;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * What an engine says of itself.
 *
 * @param models the names that it serves, the base model first
 * @param maxModelLen the longest context of its base model, in tokens
 */
record EngineIdentity(List<String> models, OptionalInt maxModelLen, EngineDialect dialect) {
  /** What one of its slots holds. */
  private static final String LLAMA_CPP_CONTEXT = "/meta/n_ctx";

  static final EngineIdentity UNKNOWN =
      new EngineIdentity(List.of(), OptionalInt.empty(), EngineDialect.OPENAI);

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

  private static EngineIdentity parse(JsonNode cards) {
    List<String> models = new ArrayList<>();
    for (JsonNode card : cards) {
      if (card.path("id").isTextual()) {
        models.add(card.path("id").asText());
      }
    }
    JsonNode base = cards.path(0);
    return new EngineIdentity(
        models,
        Stream.of("/max_model_len", LLAMA_CPP_CONTEXT)
            .map(base::at)
            .filter(length -> length.canConvertToInt() && length.asInt() > 0)
            .mapToInt(JsonNode::asInt)
            .findFirst(),
        EngineDialect.ownedBy(base.path("owned_by").asText("")));
  }
}
