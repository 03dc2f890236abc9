package io.sluice.bench.torture.load;

import io.sluice.bench.arrival.ArrivalProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;

/** What arrives independently of each other, at a mean rate. */
public final class Arrivals {
  private Arrivals() {}

  /**
   * Plans all that arrives within a time, the first at its beginning.
   *
   * @param rate per second
   * @param plan makes what arrives from its number and its time; it may draw from the same random
   *     numbers
   */
  public static <T> List<T> within(
      Duration length, double rate, Random random, BiFunction<Integer, Duration, T> plan) {
    List<T> all = new ArrayList<>();
    double atSeconds = 0;
    while (atSeconds < length.toMillis() / 1e3) {
      all.add(plan.apply(all.size(), Duration.ofMillis((long) (atSeconds * 1e3))));
      atSeconds += ArrivalProcess.POISSON.gap(random) / rate;
    }
    return all;
  }
}
