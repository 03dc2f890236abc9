package io.sluice.worker.clock;

import java.time.Clock;
import java.time.Duration;

/**
 * The broker's wall clock, estimated: every record whose append time we learn was appended before
 * we learnt of it, so {@code local time - append time} is the difference of the clocks plus a
 * delay, and the smallest one seen is the best bound. The minimum is kept over two windows, so that
 * a clock that is set or drifts is followed within ten minutes. Thread-safe.
 */
public final class BrokerClock {
  private static final Duration WINDOW = Duration.ofMinutes(5);

  private final Clock clock;
  private final Ticker ticker;
  private long windowStart;
  private long olderMillis = Long.MAX_VALUE;
  private long newerMillis = Long.MAX_VALUE;

  public BrokerClock(Clock clock, Ticker ticker) {
    this.clock = clock;
    this.ticker = ticker;
    this.windowStart = ticker.nanos();
  }

  /** A record with this append time has just become known; times below zero say nothing. */
  public synchronized void observe(long appendTimeMillis) {
    if (appendTimeMillis <= 0) {
      return;
    }
    if (ticker.since(windowStart).compareTo(WINDOW) > 0) {
      olderMillis = newerMillis;
      newerMillis = Long.MAX_VALUE;
      windowStart = ticker.nanos();
    }
    newerMillis = Math.min(newerMillis, clock.millis() - appendTimeMillis);
  }

  /** Now by the broker's clock, epoch milliseconds; by the local one before anything is known. */
  public synchronized long millis() {
    long difference = Math.min(olderMillis, newerMillis);
    return clock.millis() - (difference == Long.MAX_VALUE ? 0 : difference);
  }

  /** How long ago the broker appended something, never negative. */
  public Duration age(long appendTimeMillis) {
    return Duration.ofMillis(Math.max(0, millis() - appendTimeMillis));
  }
}
