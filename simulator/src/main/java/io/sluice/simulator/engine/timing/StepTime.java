package io.sluice.simulator.engine.timing;

import java.util.SplittableRandom;

/**
 * The time of steps on a GPU: the latency model, multiplied by lognormal noise of mean 1 and by
 * rare stalls, both from a seed, and divided by a speed factor. Not thread-safe.
 */
public final class StepTime {

  private static final double SHORTEST_STALL = 2;
  private static final double LONGEST_STALL = 5;

  private final LatencyModel model;
  private final Timing timing;
  private final SplittableRandom random;
  private double slowdown = 1;

  /** Creates the time of an engine's steps. */
  public StepTime(Timing timing) {
    this.model = timing.latency();
    this.timing = timing;
    this.random = new SplittableRandom(timing.seed());
  }

  /** Multiplies the time of all further steps; 1 is the engine's own speed. */
  public void slowBy(double factor) {
    slowdown = factor;
  }

  /** Returns the time of the next step, in nanoseconds; at least 1. */
  public long nanos(StepWork work) {
    double millis = model.stepMillis(work);
    double factor = noise() * stall() * slowdown;
    return Math.max(1, Math.round(millis * factor * 1e6 / timing.speed()));
  }

  private double noise() {
    double sigma = timing.noiseSigma();
    return sigma == 0 ? 1 : Math.exp(sigma * random.nextGaussian() - sigma * sigma / 2);
  }

  private double stall() {
    double perThousand = timing.stallsPerThousand();
    return perThousand > 0 && random.nextDouble() * 1000 < perThousand
        ? random.nextDouble(SHORTEST_STALL, LONGEST_STALL)
        : 1;
  }
}
