package io.sluice.worker.testing;

import io.sluice.worker.clock.Ticker;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;

/** A wall clock and a ticker that move only when told to, together. */
public final class ManualTime extends Clock implements Ticker {
  public static final long START_MILLIS = 1_800_000_000_000L;

  private final AtomicLong nanos = new AtomicLong();

  public void advance(Duration by) {
    nanos.addAndGet(by.toNanos());
  }

  @Override
  public long nanos() {
    return nanos.get();
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(START_MILLIS).plusNanos(nanos.get());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
