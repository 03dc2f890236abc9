package io.sluice.router.clock;

import java.util.concurrent.TimeUnit;

/**
 * How far a broker's clock is ahead of this process's monotonic clock, in milliseconds, as a lower
 * and an upper bound. The broker read its clock after the record was sent and before it was
 * acknowledged, so the bounds are one round trip apart.
 */
record ClockOffset(long least, long most, long readNanos) {
  /**
   * In this time two clocks drift apart by at most 1 ms: Linux lets a time service speed up or slow
   * down each by at most 500 ppm (adjtimex).
   */
  private static final long NANOS_PER_MILLI_OF_DRIFT = TimeUnit.SECONDS.toNanos(1);

  static ClockOffset of(long appendTimeMillis, long sentNanos, long ackedNanos) {
    return new ClockOffset(
        appendTimeMillis - millis(ackedNanos) - 1,
        appendTimeMillis - millis(sentNanos) + 1,
        ackedNanos);
  }

  /** Returns whether the clock must have been set between this reading and a later one. */
  boolean isContradictedBy(ClockOffset later) {
    ClockOffset both = and(later);
    return both.least > both.most;
  }

  /**
   * Returns what this reading and a later one say together, unless they contradict each other: the
   * earlier bounds, widened by the drift since, hold as well, so one long round trip blurs nothing.
   */
  ClockOffset and(ClockOffset later) {
    long drift = driftMillis(Math.max(0, later.readNanos - readNanos));
    long highest = Math.max(least - drift, later.least);
    long lowest = Math.min(most + drift, later.most);
    return new ClockOffset(highest, lowest, later.readNanos);
  }

  private static long driftMillis(long nanos) {
    return Math.ceilDiv(nanos, NANOS_PER_MILLI_OF_DRIFT);
  }

  /** Returns the most by which {@link #aheadMillis} may be wrong. */
  long errorMillis() {
    return (most - least + 1) / 2;
  }

  long aheadMillis() {
    return least + (most - least) / 2;
  }

  static long millis(long nanos) {
    return Math.floorDiv(nanos, 1_000_000L);
  }
}
