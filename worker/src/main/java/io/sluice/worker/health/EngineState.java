package io.sluice.worker.health;

import io.sluice.worker.engine.EngineDialect;
import io.sluice.worker.generation.EngineCheck;
import io.sluice.worker.generation.EngineFacts;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a worker knows of its engine at a moment. Immutable.
 *
 * @param life grows when another process takes the place of the one before
 * @param models the names that it lists, its own first
 * @param maxModelLen its longest context, in tokens
 * @param tokenBudget what its KV cache holds, in tokens; 0 if that is not known
 * @param kvUsage 0 to 1; empty for engines without metrics
 * @param loadedAdapters LoRA adapters that it computes with
 * @param totals what it has counted since its start
 * @param lastCheck when it was last asked
 */
public record EngineState(
    EngineCheck.Condition condition,
    long life,
    List<String> models,
    EngineDialect dialect,
    int maxModelLen,
    long tokenBudget,
    OptionalDouble kvUsage,
    int running,
    int waiting,
    List<String> loadedAdapters,
    EngineTotals totals,
    Instant lastCheck) {
  public EngineState {
    models = List.copyOf(models);
    loadedAdapters = List.copyOf(loadedAdapters);
  }

  /** Whether it answers and its models are known. */
  public boolean up() {
    return condition == EngineCheck.Condition.UP;
  }

  /** What a generation must know. */
  public EngineFacts facts(Optional<String> announced) {
    return new EngineFacts(models, announced, dialect);
  }
}
