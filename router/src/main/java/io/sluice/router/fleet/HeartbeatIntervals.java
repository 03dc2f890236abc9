package io.sluice.router.fleet;

import java.time.Duration;

/**
 * The longest interval between a worker's heartbeats within the last 30 to 60 seconds, as seen by
 * this process. Intervals of up to two regular beats are ignored. Not thread-safe.
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

  /** A heartbeat came this long after the previous one. */
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
