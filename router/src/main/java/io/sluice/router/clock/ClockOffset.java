package io.sluice.router.clock;

import java.util.concurrent.TimeUnit;

/**
 * How far a broker's clock is ahead of this process's monotonic clock, in milliseconds, as a lower
 * and an upper bound. The broker read its clock after the record was sent and before it was
 * acknowledged, so the bounds are one round trip apart.
 */
record ClockOffset(long least, long most, long readNanos) {
  /** A narrower reading is kept for this long, so that a busy moment does not blur it. */
  private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(5);

  static ClockOffset of(long appendTimeMillis, long sentNanos, long ackedNanos) {
    return new ClockOffset(
        appendTimeMillis - millis(ackedNanos) - 1,
        appendTimeMillis - millis(sentNanos) + 1,
        ackedNanos);
  }

  /**
   * The better of this reading and a later one. If the two contradict each other, the clock was
   * changed, and the later one counts.
   */
  ClockOffset or(ClockOffset later) {
    boolean hasMoved = later.least > most || later.most < least;
    boolean isOld = later.readNanos - readNanos > KEPT_NANOS;
    return hasMoved || isOld || later.most - later.least <= most - least ? later : this;
  }

  long aheadMillis() {
    return least + (most - least) / 2;
  }

  static long millis(long nanos) {
    return Math.floorDiv(nanos, 1_000_000L);
  }
}
