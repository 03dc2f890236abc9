package io.sluice.router.queue;

import java.time.Duration;

/**
 * Lets tenants of other partitions go first. Each partition's task sends by itself when it sees
 * room, and one whose own request has just ended sees it first: a flood that runs everywhere would
 * take every slot again before a task that runs nothing gets to look. So a tenant that is far ahead
 * of another one's share waits for two ticks, in which each task looks once. If nobody takes the
 * room, as when the other's request fits nowhere, it goes on for a second. Not thread-safe.
 */
final class CrossPartitionYield {
  /** So far ahead a tenant may be without waiting, in tokens. */
  static final long LEAD_TOKENS = 16_384;

  private static final long WAIT_NANOS = Duration.ofMillis(45).toNanos();
  private static final long GO_ON_NANOS = Duration.ofSeconds(1).toNanos();

  private boolean isWaiting;
  private boolean isGoingOn;
  private long sinceNanos;

  /** Whether a request is not to go now, whose tenant is so many tokens ahead. */
  boolean waits(long leadTokens, long nowNanos) {
    if (leadTokens <= LEAD_TOKENS) {
      isWaiting = false;
      return false;
    }
    if (isGoingOn && nowNanos - sinceNanos < GO_ON_NANOS) {
      return false;
    }
    if (!isWaiting) {
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
