package io.sluice.bench.arrival;

import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** How arrivals follow each other. */
public enum ArrivalProcess {
  /** At equal distances. */
  EVEN {
    @Override
    public double gap(RandomGenerator random) {
      return 1;
    }
  },
  /** Independently of each other: a Poisson process, as the requests of many callers are. */
  POISSON {
    @Override
    public double gap(RandomGenerator random) {
      return -Math.log(1 - random.nextDouble());
    }
  };

  /** Returns a distance between two arrivals, with a mean of 1. */
  public abstract double gap(RandomGenerator random);

  /**
   * Returns when requests arrive, in nanoseconds from the first one, in ascending order. Equal
   * arguments give equal times.
   */
  public long[] nanos(double perSecond, int count, long seed) {
    var random = new Random(seed);
    long[] due = new long[count];
    double at = 0;
    for (int i = 1; i < count; i++) {
      at += gap(random) / perSecond;
      due[i] = (long) (at * TimeUnit.SECONDS.toNanos(1));
    }
    return due;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
