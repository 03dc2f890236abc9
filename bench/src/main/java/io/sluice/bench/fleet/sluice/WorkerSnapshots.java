package io.sluice.bench.fleet.sluice;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.WorkerSnapshotBuilder;
import io.sluice.simulator.engine.EngineConfig;
import java.util.Map;
import java.util.OptionalDouble;

/** The heartbeats of one life of a worker. Not thread-safe. */
final class WorkerSnapshots {
  private final String id;
  private final String incarnation;
  private final WorkerRole role;
  private final EngineConfig engine;
  private final EngineReadings readings;
  private final HeldRequests held;
  private long sequence;

  WorkerSnapshots(
      String id,
      String incarnation,
      WorkerRole role,
      EngineConfig engine,
      EngineReadings readings,
      HeldRequests held) {
    this.id = id;
    this.incarnation = incarnation;
    this.role = role;
    this.engine = engine;
    this.readings = readings;
    this.held = held;
  }

  /** Returns what the worker reports about itself now. */
  WorkerSnapshot next(int slots, boolean isDraining, boolean isEngineUp) {
    return WorkerSnapshotBuilder.builder()
        .id(id)
        .incarnation(incarnation)
        .sequence(++sequence)
        .models(role.models())
        .cards(role.cards())
        .lanes(role.lanes())
        .maxModelLen(engine.maxModelLen())
        .tokenBudget((long) engine.kvBlocks() * engine.blockTokens())
        .tokensInUse(held.contextTokens())
        .kvUsage(OptionalDouble.of(readings.stats().kvUsage()))
        .running(readings.stats().running())
        .waiting(readings.stats().waiting())
        .slots(held.usable(slots))
        .held(Map.of(SluiceFront.ROUTER, held.size()))
        .draining(isDraining)
        .engineUp(isEngineUp)
        .pace(readings.pace(held.waitingPromptTokens()))
        .traits(role.traits())
        .version("")
        .tier(role.tier())
        .build();
  }
}
