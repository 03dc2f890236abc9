package io.sluice.worker.health;

import io.sluice.worker.engine.EngineCheck;
import io.sluice.worker.engine.dialect.EngineDialect;
import io.sluice.worker.engine.dialect.EngineFacts;
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
 * @param load what its metrics say; unknown for engines without metrics
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
    EngineLoad load,
    EngineTotals totals,
    Instant lastCheck) {
  public EngineState {
    models = List.copyOf(models);
  }

  /** Whether it answers and its models are known. */
  public boolean up() {
    return condition == EngineCheck.Condition.UP;
  }

  /** The use of its KV cache, 0 to 1; empty for engines without metrics. */
  public OptionalDouble kvUsage() {
    return load.kvUsage();
  }

  /** Requests in its batches. */
  public int running() {
    return load.running();
  }

  /** Requests in its queues. */
  public int waiting() {
    return load.waiting();
  }

  /** The LoRA adapters that it has loaded. */
  public List<String> loadedAdapters() {
    return load.loadedAdapters();
  }

  /** What a generation must know. */
  public EngineFacts facts(Optional<String> announced) {
    return new EngineFacts(models, announced, dialect);
  }
}
