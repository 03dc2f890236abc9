package io.sluice.bench.fleet.sluice;

import io.sluice.common.protocol.ModelCard;
import io.sluice.fleet.EngineTraits;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a worker in virtual time serves, as its snapshots say it.
 *
 * @param models the names under which it serves
 * @param cards what its engine lists of them, by name
 * @param tier its quality tier; empty for a worker that serves every tier
 * @param lanes the names of the lanes it serves; empty means all
 */
public record WorkerRole(
    List<String> models,
    Map<String, ModelCard> cards,
    Optional<String> tier,
    List<String> lanes,
    EngineTraits traits) {
  /** A worker of the only model. */
  public static final WorkerRole STANDARD = serving(List.of(SluiceFront.MODEL));

  public WorkerRole {
    models = List.copyOf(models);
    cards = Map.copyOf(cards);
    lanes = List.copyOf(lanes);
  }

  /** Returns a worker that serves these models to all requests. */
  public static WorkerRole serving(List<String> models) {
    return new WorkerRole(models, Map.of(), Optional.empty(), List.of(), EngineTraits.NONE);
  }
}
