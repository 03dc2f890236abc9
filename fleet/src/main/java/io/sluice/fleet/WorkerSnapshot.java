package io.sluice.fleet;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.ModelCard;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.soabase.recordbuilder.core.RecordBuilder.BuilderMode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A worker's state, published with every heartbeat.
 *
 * @param id the worker's id, from which its topic follows
 * @param incarnation changes whenever the worker has discarded its leases: at a start, or after it
 *     was frozen
 * @param sequence grows by one with each heartbeat; a worker whose sequence does not advance is
 *     dead
 * @param models the names under which it serves: base models and adapters
 * @param cards what its engine lists of these models, by name; a context is in a card only if it is
 *     shorter than {@code maxModelLen}. Models beyond the first {@value #MOST_CARDS}, and all
 *     models of an older worker, have no card
 * @param tier its quality tier; empty in pools without tiers
 * @param lanes the names of the lanes it serves; empty means all
 * @param maxModelLen the maximum of prompt plus output that its engine accepts, in tokens
 * @param tokenBudget how many tokens of context it can hold at once; 0 if not known
 * @param tokensInUse how many of them the running requests use
 * @param kvUsage the engine's KV-cache usage, 0 to 1; empty for engines without metrics, and if it
 *     is not a number
 * @param running requests in the engine's batch, from any sender
 * @param waiting requests in the engine's queue
 * @param slots how many requests it accepts at once
 * @param held leases that it holds, by the router that assigned them
 * @param draining whether it accepts nothing new because it is about to stop
 * @param engineUp whether its engine responds; while it does not, the worker accepts nothing new
 * @param pace the current speed of its engine
 * @param traits the properties of its engine
 * @param version the worker's software version; empty if it does not report one
 */
@RecordBuilder
@RecordBuilder.Options(builderMode = BuilderMode.STAGED_REQUIRED_ONLY, enableWither = false)
public record WorkerSnapshot(
    String id,
    String incarnation,
    long sequence,
    List<String> models,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, ModelCard> cards,
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
  /** More cards would make the snapshot too large for a heartbeat. */
  public static final int MOST_CARDS = 128;

  /**
   * Replaces the fields that an older peer did not send by empty values; only the worker's identity
   * is required.
   */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public WorkerSnapshot {
    Objects.requireNonNull(id, "id is missing");
    Objects.requireNonNull(incarnation, "incarnation is missing");
    models = models == null ? List.of() : List.copyOf(models);
    cards = cards == null ? Map.of() : Map.copyOf(cards);
    tier = tier == null ? Optional.empty() : tier;
    lanes = lanes == null ? List.of() : List.copyOf(lanes);
    kvUsage =
        kvUsage == null || !Double.isFinite(kvUsage.orElse(0)) ? OptionalDouble.empty() : kvUsage;
    held = held == null ? Map.of() : Map.copyOf(held);
    pace = pace == null ? EnginePace.UNKNOWN : pace;
    traits = traits == null ? EngineTraits.NONE : traits;
    version = version == null ? "" : version;
  }

  /** Returns whether the worker accepts new requests. */
  public boolean accepting() {
    return engineUp && !draining;
  }

  /**
   * Returns the base model of an adapter; empty for a base model. Without a card, every model but
   * the first counts as an adapter of the first.
   */
  public Optional<String> parentOf(String model) {
    ModelCard card = cards.get(model);
    return card == null
        ? models.stream().findFirst().filter(first -> !first.equals(model))
        : card.parent();
  }

  /** Returns the number of leases that it holds, from all routers. */
  public int heldInAll() {
    int sum = 0;
    for (int leases : held.values()) {
      sum += leases;
    }
    return sum;
  }

  /** Returns the same state with another sequence. */
  WorkerSnapshot withSequence(long other) {
    return other == sequence ? this : WorkerSnapshotBuilder.builder(this).sequence(other).build();
  }

  /** Returns the worker's properties without its load, for when the load is outdated. */
  public WorkerSnapshot withoutLoad() {
    return WorkerSnapshotBuilder.builder(this)
        .tokensInUse(0)
        .kvUsage(OptionalDouble.empty())
        .running(0)
        .waiting(0)
        .held(Map.of())
        .pace(new EnginePace(pace.prefillTokensPerSecond(), pace.stepMillis(), 0))
        .build();
  }

  /** Returns the snapshot as JSON. */
  public String toJson() {
    return Json.text(this);
  }

  /**
   * Parses a snapshot.
   *
   * @throws IllegalArgumentException if the text is not a snapshot
   */
  public static WorkerSnapshot parse(String json) {
    return Json.parse(json, WorkerSnapshot.class, "worker snapshot");
  }
}
