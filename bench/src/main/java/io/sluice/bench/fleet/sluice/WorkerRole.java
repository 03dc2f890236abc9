package io.sluice.bench.fleet.sluice;

import io.sluice.fleet.EngineTraits;
import java.util.List;
import java.util.Optional;

/**
 * What a worker in virtual time serves, as its snapshots say it.
 *
 * @param models the names under which it serves
 * @param tier its quality tier; empty for a worker that serves every tier
 * @param lanes the names of the lanes it serves; empty means all
 */
public record WorkerRole(
    List<String> models, Optional<String> tier, List<String> lanes, EngineTraits traits) {
  /** A worker of the only model. */
  public static final WorkerRole STANDARD = serving(List.of(SluiceFront.MODEL));

  public WorkerRole {
    models = List.copyOf(models);
    lanes = List.copyOf(lanes);
  }

  /** Returns a worker that serves these models to all requests. */
  public static WorkerRole serving(List<String> models) {
    return new WorkerRole(models, Optional.empty(), List.of(), EngineTraits.NONE);
  }
}
