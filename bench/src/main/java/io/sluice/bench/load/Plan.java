package io.sluice.bench.load;

import io.sluice.bench.arrival.ArrivalProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Requests and the times at which they come. Equal plans are the same for all servers. Immutable.
 *
 * @param requests in the order of their times
 */
record Plan(List<Planned> requests) {
  private static final double NANOS = 1e9;

  /** Lengths are from half the mean to one and a half times it. */
  private static final double SHORTEST = 0.5;

  private static final List<String> WORDS =
      List.of(
          "river", "stone", "market", "window", "letter", "garden", "engine", "paper", "winter",
          "bridge", "signal", "coffee", "island", "number", "yellow", "morning", "travel", "music");

  /**
   * A request.
   *
   * @param dueNanos when it comes, from the beginning
   * @param isMeasured whether it comes after the warm-up
   * @param prompt about as many words as tokens
   * @param outputTokens of its answer
   */
  record Planned(long dueNanos, boolean isMeasured, String prompt, int outputTokens) {}

  /**
   * What all requests have in common.
   *
   * @param promptTokens their mean, about
   * @param outputTokens their mean
   */
  record Shape(int promptTokens, int outputTokens) {}

  Plan {
    requests = List.copyOf(requests);
  }

  /** Requests that come independently of each other: a Poisson process. */
  static Plan of(Shape shape, double perSecond, Duration warmUp, Duration measured, long seed) {
    Random random = new Random(seed);
    List<Planned> requests = new ArrayList<>();
    long end = warmUp.plus(measured).toNanos();
    long due = 0;
    while (true) {
      due += (long) (ArrivalProcess.POISSON.gap(random) / perSecond * NANOS);
      if (due >= end) {
        return new Plan(requests);
      }
      requests.add(
          new Planned(
              due,
              due >= warmUp.toNanos(),
              prompt(length(shape.promptTokens(), random), random),
              length(shape.outputTokens(), random)));
    }
  }

  private static int length(int mean, Random random) {
    return Math.max(1, (int) Math.round(mean * (SHORTEST + random.nextDouble())));
  }

  private static String prompt(int words, Random random) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < words; i++) {
      all.add(WORDS.get(random.nextInt(WORDS.size())));
    }
    return String.join(" ", all);
  }
}
