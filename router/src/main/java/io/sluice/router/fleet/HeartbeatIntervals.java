package io.sluice.router.fleet;

import java.time.Duration;

/**
 * The longest gap between a worker's heartbeats within the last half minute to minute, as this
 * process heard them. Gaps that are no longer than two beats are none. Not thread-safe.
 */
final class HeartbeatIntervals {
  private static final long WINDOW_NANOS = Duration.ofSeconds(30).toNanos();
  private static final long USUAL_NANOS = Duration.ofMillis(500).toNanos();

  private long windowNanos;
  private long longestNanos;
  private long longestBeforeNanos;

  HeartbeatIntervals(long nowNanos) {
    windowNanos = nowNanos;
  }

  /** A beat came so long after the one before it. */
  void gap(long gapNanos, long nowNanos) {
    if (nowNanos - windowNanos > WINDOW_NANOS) {
      longestBeforeNanos = nowNanos - windowNanos > 2 * WINDOW_NANOS ? 0 : longestNanos;
      longestNanos = 0;
      windowNanos = nowNanos;
    }
    if (gapNanos > USUAL_NANOS) {
      longestNanos = Math.max(longestNanos, gapNanos);
    }
  }

  Duration longest() {
    return Duration.ofNanos(Math.max(longestNanos, longestBeforeNanos));
  }
}
