package io.sluice.worker.health;

import io.sluice.worker.engine.EngineCheck;
import io.sluice.worker.engine.dialect.EngineDialect;
import io.sluice.worker.engine.dialect.EngineFacts;
import io.sluice.worker.engine.dialect.EngineIdentity;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a worker knows about its engine at one moment. Immutable.
 *
 * @param life grows when another process takes the engine's place
 * @param identity its kind and its models, the configured one first
 * @param maxModelLen its longest context, in tokens
 * @param tokenBudget capacity of its KV cache in tokens; 0 if it is not known
 * @param load what its metrics say; unknown for engines without metrics
 * @param totals what it has counted since its start
 * @param lastCheck when it was last probed
 */
public record EngineState(
    EngineCheck.Condition condition,
    long life,
    EngineIdentity identity,
    int maxModelLen,
    long tokenBudget,
    EngineLoad load,
    EngineTotals totals,
    Instant lastCheck) {

  /** Returns whether the engine answers and its models are known. */
  public boolean up() {
    return condition == EngineCheck.Condition.UP;
  }

  /** Returns the names that the engine lists, the configured one first. */
  public List<String> models() {
    return identity.models();
  }

  public EngineDialect dialect() {
    return identity.dialect();
  }

  /** Use of the KV cache, 0 to 1; empty for engines without metrics. */
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

  /** Returns the LoRA adapters that it has loaded. */
  public List<String> loadedAdapters() {
    return load.loadedAdapters();
  }

  /**
   * Returns what a generation needs to know.
   *
   * @param announced the name that the worker serves under, if one is configured
   */
  public EngineFacts facts(Optional<String> announced) {
    return new EngineFacts(models(), announced, dialect());
  }
}
