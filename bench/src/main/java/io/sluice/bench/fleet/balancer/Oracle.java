package io.sluice.bench.fleet.balancer;

import io.sluice.bench.fleet.run.EngineNode;
import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.simulator.engine.BlockHashes;
import io.sluice.simulator.engine.LiveSequence;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * What no scheduler can know: the lengths of all answers, what the engines have cached, and all
 * that they have to do. It takes the engine with the earliest first token, by {@link Forecast}.
 */
public final class Oracle implements Balancer {
  /** So much does it avoid an engine that would preempt: what it forecasts there is not true. */
  private static final double PREEMPTION_MILLIS = 10_000;

  private final List<EngineNode> engines;
  private final double latestMillis;
  private final List<Map<Integer, Forecast.Open>> open = new ArrayList<>();

  /**
   * An oracle for idle engines.
   *
   * @param latestMillis it refuses what would have its first token later
   */
  public Oracle(List<EngineNode> engines, double latestMillis) {
    this.engines = engines;
    this.latestMillis = latestMillis;
    engines.forEach(engine -> open.add(new LinkedHashMap<>()));
  }

  @Override
  public Choice pick(FleetRequest request, IntPredicate usable) {
    long[] hashes = BlockHashes.of(request.toSequence(), engines.getFirst().config().blockTokens());
    double earliest = Double.MAX_VALUE;
    int best = 0;
    int bestUncached = 0;
    for (int i = 0; i < engines.size(); i++) {
      if (!usable.test(i)) {
        continue;
      }
      EngineNode engine = engines.get(i);
      open.get(i).forEach((id, has) -> engine.uncomputedTokens(id).ifPresent(has::lacks));
      int uncached = request.promptTokens() - engine.cachedTokens(hashes);
      Forecast forecast =
          Forecast.of(engine.config(), open.get(i).values(), open(request, uncached));
      double millis =
          forecast.millisToFirstToken() + (forecast.hasPreemption() ? PREEMPTION_MILLIS : 0);
      if (millis < earliest) {
        earliest = millis;
        best = i;
        bestUncached = uncached;
      }
    }
    if (earliest > latestMillis) {
      return new Choice.Refuse();
    }
    open.get(best).put(request.id(), open(request, bestUncached));
    return Choice.send(best);
  }

  private static Forecast.Open open(FleetRequest request, int uncached) {
    return new Forecast.Open(request.promptTokens(), request.outputTokens(), uncached);
  }

  @Override
  public void token(int engine, LiveSequence sequence) {
    int request = (int) sequence.request().id();
    Forecast.Open known = open.get(engine).get(request);
    if (known != null) {
      known.has(sequence.outputTokens());
      if (sequence.finish().isPresent()) {
        open.get(engine).remove(request);
      }
    }
  }

  @Override
  public void ended(int engine, FleetRequest request) {
    open.get(engine).remove(request.id());
  }
}
