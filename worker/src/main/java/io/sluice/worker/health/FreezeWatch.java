package io.sluice.worker.health;

import io.sluice.worker.clock.Ticker;
import java.time.Duration;

/**
 * Finds out that the process was frozen: its own regular tick comes much too late. Its leases are
 * lost then, for the router has given them to others. For one thread.
 */
final class FreezeWatch {
  /** As long as a lease lives without a heartbeat. */
  static final Duration LIMIT = Duration.ofMillis(1_500);

  private final Ticker ticker;
  private long lastNanos;

  FreezeWatch(Ticker ticker) {
    this.ticker = ticker;
    this.lastNanos = ticker.nanos();
  }

  /** Ticks; returns whether the process stood still since the last tick. */
  boolean tick() {
    boolean wasFrozen = ticker.since(lastNanos).compareTo(LIMIT) > 0;
    lastNanos = ticker.nanos();
    return wasFrozen;
  }
}
