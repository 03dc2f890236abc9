package io.sluice.gateway.model;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.ModelCard;
import io.sluice.fleet.WorkerSnapshot;
import java.util.OptionalInt;

/**
 * A model that the pool serves.
 *
 * @param card what an engine lists of it, with the longest context of its workers and the time at
 *     which the first of them listed it
 */
record ServedModel(String id, ModelCard card) {
  /** The owner of models whose engine names none. */
  private static final String POOL = "sluice";

  /** Returns what a worker tells of a model that it serves. */
  static ServedModel of(WorkerSnapshot worker, String model) {
    ModelCard told = worker.cards().getOrDefault(model, ModelCard.EMPTY);
    OptionalInt longest =
        worker.maxModelLen() > 0 ? OptionalInt.of(worker.maxModelLen()) : OptionalInt.empty();
    return new ServedModel(
        model,
        new ModelCard(
            told.root(),
            worker.parentOf(model),
            told.ownedBy(),
            told.maxModelLen().isPresent() ? told.maxModelLen() : longest,
            told.created()));
  }

  /** Returns the model as two workers serve it, described as by the first that sends a card. */
  ServedModel and(ServedModel other) {
    boolean isTold = card.created().isPresent() || other.card.created().isEmpty();
    ModelCard told = isTold ? card : other.card;
    return new ServedModel(
        id,
        new ModelCard(
                told.root(),
                told.parent(),
                told.ownedBy(),
                longer(card.maxModelLen(), other.card.maxModelLen()),
                card.created())
            .createdBy(other.card.created()));
  }

  private static OptionalInt longer(OptionalInt one, OptionalInt other) {
    return one.orElse(0) > other.orElse(0) ? one : other;
  }

  /**
   * Returns the model card with the fields that vLLM lists.
   *
   * @param since the time of a model of which no worker tells one, in epoch seconds
   */
  ObjectNode toJson(long since) {
    ObjectNode json = Json.mapper().createObjectNode();
    json.put("id", id).put("object", "model").put("created", card.created().orElse(since));
    json.put("owned_by", card.ownedBy().orElse(POOL)).put("root", card.rootOf(id));
    card.parent().ifPresentOrElse(name -> json.put("parent", name), () -> json.putNull("parent"));
    if (card.maxModelLen().isPresent()) {
      json.put("max_model_len", card.maxModelLen().getAsInt());
    } else {
      json.putNull("max_model_len");
    }
    json.putArray("permission");
    return json;
  }
}
