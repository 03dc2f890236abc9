package io.sluice.worker.engine.dialect;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.worker.engine.EngineAnswer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * What an engine says about itself.
 *
 * @param models the names that it serves, the base model first
 * @param maxModelLen the longest context of its base model, in tokens; empty if it does not say
 */
public record EngineIdentity(List<String> models, OptionalInt maxModelLen, EngineDialect dialect) {
  /** OpenAI's path of the models. */
  public static final String MODELS_PATH = "/v1/models";

  /** An engine that has not said what it is. */
  public static final EngineIdentity UNKNOWN =
      new EngineIdentity(List.of(), OptionalInt.empty(), EngineDialects.OPENAI);

  public EngineIdentity {
    models = List.copyOf(models);
  }

  /** Reads the answer of {@link #MODELS_PATH}; {@link #UNKNOWN} if it is not a list of models. */
  public static EngineIdentity parse(EngineAnswer answer) {
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
    EngineDialect dialect = EngineDialects.of(base);
    return new EngineIdentity(models, EngineDialects.context(base), dialect);
  }
}
