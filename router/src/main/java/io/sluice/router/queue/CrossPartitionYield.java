package io.sluice.router.queue;

import java.time.Duration;

/**
 * Yields to tenants of other partitions. Each task dispatches on its own when it sees room, and the
 * task whose request has just ended sees it first. A flood that runs in all partitions would take
 * every slot again before a task that runs nothing checks. So a tenant that is far ahead of another
 * one's share waits for two ticks, in which each task checks once. If no task takes the room, for
 * example because the other request fits nowhere, the tenant continues without yielding for one
 * second. Not thread-safe.
 */
final class CrossPartitionYield {
  /** A tenant may be ahead by this many tokens without waiting. */
  static final long LEAD_TOKENS = 16_384;

  private static final long WAIT_NANOS = Duration.ofMillis(45).toNanos();
  private static final long GO_ON_NANOS = Duration.ofSeconds(1).toNanos();

  private boolean isWaiting;
  private boolean isGoingOn;
  private long sinceNanos;

  /** Returns whether a request must wait now, given how many tokens its tenant is ahead. */
  boolean waits(long leadTokens, long nowNanos) {
    if (leadTokens <= LEAD_TOKENS) {
      isWaiting = false;
      return false;
    }
    if (isGoingOn && nowNanos - sinceNanos < GO_ON_NANOS) {
      return false;
    }
    if (!isWaiting || nowNanos - sinceNanos >= GO_ON_NANOS) {
      isWaiting = true;
      sinceNanos = nowNanos;
    }
    isGoingOn = nowNanos - sinceNanos >= WAIT_NANOS;
    if (isGoingOn) {
      isWaiting = false;
      sinceNanos = nowNanos;
    }
    return !isGoingOn;
  }
}
