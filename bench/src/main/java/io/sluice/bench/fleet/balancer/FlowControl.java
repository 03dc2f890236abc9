package io.sluice.bench.fleet.balancer;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.simulator.engine.EngineStats;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The flow control of the Gateway API inference extension in front of its scorers, with the
 * thresholds that it ships: requests wait while the engines are saturated. An engine's saturation
 * is the greater of its waiting requests / {@value #QUEUE_THRESHOLD} and its KV-cache usage /
 * {@value #KV_THRESHOLD}, and that of the pool is the average; from 1 on, nothing is sent.
 */
public final class FlowControl implements Balancer {
  private static final double QUEUE_THRESHOLD = 5;
  private static final double KV_THRESHOLD = 0.8;

  private final Balancer inner;
  private final double[] saturation;

  public FlowControl(Balancer inner, int engines) {
    this.inner = inner;
    this.saturation = new double[engines];
  }

  @Override
  public Choice pick(FleetRequest request, IntPredicate usable) {
    double average =
        IntStream.range(0, saturation.length)
            .filter(usable)
            .mapToDouble(engine -> saturation[engine])
            .average()
            .orElse(0);
    return average < 1 ? inner.pick(request, usable) : new Choice.Hold();
  }

  @Override
  public long scrapeNanos() {
    return inner.scrapeNanos();
  }

  @Override
  public void scraped(int engine, EngineStats stats) {
    saturation[engine] =
        Math.max(stats.waiting() / QUEUE_THRESHOLD, stats.kvUsage() / KV_THRESHOLD);
    inner.scraped(engine, stats);
  }
}
