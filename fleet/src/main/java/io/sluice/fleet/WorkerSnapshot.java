package io.sluice.fleet;

import io.sluice.common.protocol.Json;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a worker says of itself, every heartbeat.
 *
 * @param id the worker's id; its topic follows from it
 * @param incarnation changes whenever the worker forgets what it held: at a start, or after it was
 *     frozen
 * @param sequence grows by one each heartbeat; a worker whose sequence stands still is dead
 * @param models the names under which it serves, the base model first, adapters after it
 * @param tier its quality tier; empty in pools without tiers
 * @param lanes the names of the lanes it serves; empty means all
 * @param maxModelLen the longest prompt plus output that its engine takes, in tokens
 * @param tokenBudget how many tokens of context it holds at once; 0 where it is not known
 * @param tokensInUse how many of them are taken by requests that it runs
 * @param kvUsage the engine's KV-cache usage, 0 to 1; empty where it is not a number, and for
 *     engines without metrics
 * @param running requests in the engine's batch, whoever sent them
 * @param waiting requests in the engine's queue
 * @param slots how many requests it takes at once
 * @param held leases that it holds, per router that assigned them
 * @param draining whether it takes nothing new because it is to stop
 * @param engineUp whether its engine answers; while it does not, nothing new is taken
 * @param pace how fast its engine works
 * @param traits what its engine is made for
 * @param version the worker's software version; empty where it does not say
 */
public record WorkerSnapshot(
    String id,
    String incarnation,
    long sequence,
    List<String> models,
    Optional<String> tier,
    List<String> lanes,
    int maxModelLen,
    long tokenBudget,
    long tokensInUse,
    OptionalDouble kvUsage,
    int running,
    int waiting,
    int slots,
    Map<String, Integer> held,
    boolean draining,
    boolean engineUp,
    EnginePace pace,
    EngineTraits traits,
    String version) {

  /** What an older peer does not send is empty; a snapshot must only say whose it is. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public WorkerSnapshot {
    Objects.requireNonNull(id, "id is missing");
    Objects.requireNonNull(incarnation, "incarnation is missing");
    models = models == null ? List.of() : List.copyOf(models);
    tier = tier == null ? Optional.empty() : tier;
    lanes = lanes == null ? List.of() : List.copyOf(lanes);
    kvUsage =
        kvUsage == null || !Double.isFinite(kvUsage.orElse(0)) ? OptionalDouble.empty() : kvUsage;
    held = held == null ? Map.of() : Map.copyOf(held);
    pace = pace == null ? EnginePace.UNKNOWN : pace;
    traits = traits == null ? EngineTraits.NONE : traits;
    version = version == null ? "" : version;
  }

  /** Whether it takes new work at all. */
  public boolean accepting() {
    return engineUp && !draining;
  }

  /** Leases that it holds, whoever assigned them. */
  public int heldInAll() {
    int sum = 0;
    for (int leases : held.values()) {
      sum += leases;
    }
    return sum;
  }

  /** What the worker is, without what it was doing: for when that was long ago. */
  public WorkerSnapshot withoutLoad() {
    return new WorkerSnapshot(
        id,
        incarnation,
        sequence,
        models,
        tier,
        lanes,
        maxModelLen,
        tokenBudget,
        0,
        OptionalDouble.empty(),
        0,
        0,
        slots,
        Map.of(),
        draining,
        engineUp,
        new EnginePace(pace.prefillTokensPerSecond(), pace.stepMillis(), 0),
        traits,
        version);
  }

  /** The snapshot as JSON. */
  public String toJson() {
    return Json.text(this);
  }

  /**
   * Reads a snapshot.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static WorkerSnapshot parse(String json) {
    return Json.parse(json, WorkerSnapshot.class, "worker snapshot");
  }
}
