package io.sluice.bench.fleet.sluice;

import io.sluice.bench.fleet.run.EngineNode;
import io.sluice.fleet.EnginePace;
import io.sluice.simulator.engine.EngineStats;
import io.sluice.simulator.engine.LiveSequence;
import io.sluice.worker.health.EngineCount;
import io.sluice.worker.health.EngineTotals;
import io.sluice.worker.health.PaceEstimate;
import io.sluice.worker.limit.AdaptiveLimit;
import io.sluice.worker.limit.LimitWindow;
import java.time.Duration;
import java.util.OptionalDouble;

/**
 * What a worker reads from its engine's metrics, evaluated by the worker's own {@link
 * AdaptiveLimit} and {@link PaceEstimate}. Not thread-safe.
 */
final class EngineReadings {
  private final EngineNode engine;
  private final AdaptiveLimit limit;
  private final PaceEstimate pace = new PaceEstimate();
  private final EngineCounters counts = new EngineCounters();
  private EngineTotals lastTotals = new EngineCounters().totals(0);
  private EngineStats stats;
  private boolean wasBusy;

  EngineReadings(EngineNode engine) {
    this.engine = engine;
    this.limit = AdaptiveLimit.upTo(engine.config().scheduling().maxNumSeqs());
    this.stats = engine.stats();
  }

  /** The engine counts the next token of a request. */
  void token(HeldRequest request, LiveSequence generated, long endNanos) {
    counts.token(request, generated, endNanos);
  }

  /**
   * Reads the metrics.
   *
   * @param held the requests that the worker has
   * @param since the time since they were read last
   */
  void read(int held, Duration since) {
    stats = engine.stats();
    EngineTotals totals = counts.totals(stats.preemptions());
    EngineTotals added = totals.since(lastTotals);
    lastTotals = totals;
    boolean isBusy = held > 0;
    pace.observe(added, since, isBusy || wasBusy);
    wasBusy = isBusy;
    limit.observe(
        new LimitWindow(
            held,
            stats.waiting(),
            added.interTokenMillis(),
            OptionalDouble.of(stats.kvUsage()),
            (long) added.orZero(EngineCount.PREEMPTIONS),
            added.orZero(EngineCount.INTER_TOKENS),
            added.orZero(EngineCount.FIRST_TOKENS)));
  }

  /** Another process has taken the engine's place. */
  void engineReplaced() {
    limit.engineReplaced();
  }

  /** Returns how many requests the engine handles well. */
  int limit() {
    return limit.limit();
  }

  /** Returns what the metrics showed last. */
  EngineStats stats() {
    return stats;
  }

  /** Returns the present pace, with a backlog of prompt tokens. */
  EnginePace pace(long waitingPromptTokens) {
    return new EnginePace(pace.prefillTokensPerSecond(), pace.stepMillis(), waitingPromptTokens);
  }
}
