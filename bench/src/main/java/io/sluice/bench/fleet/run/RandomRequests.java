package io.sluice.bench.fleet.run;

import io.sluice.bench.arrival.ArrivalProcess;
import io.sluice.bench.trace.Trace;
import java.util.SplittableRandom;

/**
 * Makes requests whose prompts share nothing. Prompts and answers have a third to three times their
 * usual length (log-uniform). Not thread-safe.
 */
public final class RandomRequests {
  private static final double SPREAD = Math.log(3);

  private final SplittableRandom random;

  /**
   * What requests are usually like.
   *
   * @param promptTokens the median length of their prompts
   * @param outputTokens the median length of their answers
   */
  public record Usual(int promptTokens, int outputTokens, boolean bulk) {}

  /** Equal seeds make equal requests. */
  public RandomRequests(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /**
   * Returns the time from one arrival to the next at a rate, when arrivals are a Poisson process.
   */
  public double gapNanos(double perSecond) {
    return ArrivalProcess.POISSON.gap(random) / perSecond * 1e9;
  }

  /** Makes the next request. */
  public FleetRequest next(int id, long arrivalNanos, Usual usual, boolean measured) {
    int prompt = around(usual.promptTokens());
    long[] blocks = new long[Math.ceilDiv(prompt, Trace.BLOCK_TOKENS)];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = random.nextLong();
    }
    int output = around(usual.outputTokens());
    return new FleetRequest(
        id, arrivalNanos, prompt, output, blocks, blocks[0], measured, usual.bulk());
  }

  private int around(int usual) {
    return (int) Math.round(usual * Math.exp(random.nextDouble(-SPREAD, SPREAD)));
  }
}
