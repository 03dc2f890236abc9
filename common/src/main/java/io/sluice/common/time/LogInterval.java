package io.sluice.common.time;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Limits how often something that happens again and again is logged. Thread-safe. */
public final class LogInterval {
  private final long nanos;
  private final LongSupplier nanoClock;
  private final AtomicLong dueNanos;

  /**
   * @param interval the time between two lines
   * @param nanoClock monotonic nanoseconds
   */
  public LogInterval(Duration interval, LongSupplier nanoClock) {
    this.nanos = interval.toNanos();
    this.nanoClock = nanoClock;
    this.dueNanos = new AtomicLong(nanoClock.getAsLong());
  }

  /** Returns whether to log now: the first time, and then once an interval has passed. */
  public boolean isDue() {
    long now = nanoClock.getAsLong();
    long due = dueNanos.get();
    return now - due >= 0 && dueNanos.compareAndSet(due, now + nanos);
  }
}
