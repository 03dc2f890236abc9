package io.sluice.worker.engine.dialect;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.ModelCard;
import io.sluice.worker.engine.EngineAnswer;
import java.io.IOException;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SequencedMap;

/**
 * What an engine says about itself.
 *
 * @param cards its models by the names that it serves, in its order
 */
public record EngineIdentity(SequencedMap<String, ModelCard> cards, EngineDialect dialect) {
  /** OpenAI's path of the models. */
  public static final String MODELS_PATH = "/v1/models";

  /** An engine that has not said what it is. */
  public static final EngineIdentity UNKNOWN =
      new EngineIdentity(new LinkedHashMap<>(), EngineDialects.OPENAI);

  /** An engine's other models are ignored. */
  static final int MOST_MODELS = 10_000;

  /** In characters; a longer name is ignored, like any other text that is longer. */
  static final int LONGEST_TEXT = 512;

  public EngineIdentity {
    cards = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(cards));
  }

  /**
   * Reads the answer of {@link #MODELS_PATH}; {@link #UNKNOWN} if it is not a list of models.
   *
   * @param now the time of the answer
   */
  public static EngineIdentity parse(EngineAnswer answer, Instant now) {
    if (!answer.isOk()) {
      return UNKNOWN;
    }
    try {
      return parse(Json.tree(answer.body()).path("data"), now.getEpochSecond());
    } catch (IOException e) {
      return UNKNOWN;
    }
  }

  private static EngineIdentity parse(JsonNode list, long nowSeconds) {
    SequencedMap<String, ModelCard> cards = new LinkedHashMap<>();
    for (JsonNode card : list) {
      Optional<String> name = text(card.path("id"));
      if (name.isPresent() && cards.size() < MOST_MODELS) {
        cards.putIfAbsent(name.get(), card(name.get(), card, nowSeconds));
      }
    }
    return new EngineIdentity(cards, EngineDialects.of(list.path(0)));
  }

  private static ModelCard card(String name, JsonNode card, long nowSeconds) {
    Optional<String> parent = text(card.path("parent")).filter(other -> !other.equals(name));
    long created = card.path("created").asLong();
    return new ModelCard(
        text(card.path("root")).filter(root -> !root.equals(parent.orElse(name))),
        parent,
        text(card.path("owned_by")),
        EngineDialects.context(card),
        OptionalLong.of(created > 0 && created < nowSeconds ? created : nowSeconds));
  }

  private static Optional<String> text(JsonNode value) {
    return Optional.of(Json.textValue(value))
        .filter(text -> !text.isBlank() && text.length() <= LONGEST_TEXT);
  }

  /** Returns the names that it serves. */
  public List<String> models() {
    return List.copyOf(cards.keySet());
  }

  /**
   * Returns the longest context of its first model, in tokens, or that of another one if the engine
   * does not say; empty if it names none.
   */
  public OptionalInt maxModelLen() {
    return cards.values().stream()
        .map(this::maxModelLen)
        .filter(OptionalInt::isPresent)
        .findFirst()
        .orElse(OptionalInt.empty());
  }

  /** vLLM and SGLang list no context for an adapter. */
  private OptionalInt maxModelLen(ModelCard card) {
    return card.maxModelLen().isPresent()
        ? card.maxModelLen()
        : card.parent().map(cards::get).map(ModelCard::maxModelLen).orElse(OptionalInt.empty());
  }

  /** Returns the same with a model in the first place; unchanged if it is not listed. */
  public EngineIdentity startingWith(String model) {
    SequencedMap<String, ModelCard> sorted = new LinkedHashMap<>(cards);
    ModelCard card = sorted.get(model);
    if (card != null) {
      sorted.putFirst(model, card);
    }
    return new EngineIdentity(sorted, dialect);
  }

  /**
   * Returns the same with the earlier time for models that were known before. vLLM, SGLang and
   * llama.cpp say that a model was created at the time of the answer.
   */
  public EngineIdentity after(EngineIdentity before) {
    SequencedMap<String, ModelCard> earliest = new LinkedHashMap<>(cards);
    earliest.replaceAll(
        (name, card) -> {
          ModelCard known = before.cards.get(name);
          return known == null ? card : card.createdBy(known.created());
        });
    return new EngineIdentity(earliest, dialect);
  }

  /** Returns the card of a name that stands for the first model. */
  public ModelCard cardOfAlias(String alias) {
    Map.Entry<String, ModelCard> first = cards.firstEntry();
    return first == null ? ModelCard.EMPTY : first.getValue().ofAlias(alias, first.getKey());
  }
}
