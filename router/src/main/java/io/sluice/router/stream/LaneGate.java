package io.sluice.router.stream;

import java.time.Duration;

/**
 * Whether a stream thread may take requests now, or has outcomes to catch up with first. What
 * workers report ends leases, frees slots, and keeps leases from being judged by old news; and
 * every request that is taken brings some more reports. So requests wait in their lanes while more
 * than {@value #MOST_BEHIND} outcomes are unread, some hundredths of a second's work. They do not
 * wait for ever: after half a second of that, one poll takes whatever there is. Not thread-safe.
 */
final class LaneGate {
  static final long MOST_BEHIND = 64;
  static final Duration CLOSED_AT_MOST = Duration.ofMillis(500);

  private boolean isClosed;
  private long closedNanos;

  /**
   * Decides for the next poll.
   *
   * @param unread how many outcomes the thread has not read yet
   * @return whether it may bring requests
   */
  boolean opens(long unread, long nowNanos) {
    if (unread <= MOST_BEHIND) {
      isClosed = false;
    } else if (!isClosed) {
      isClosed = true;
      closedNanos = nowNanos;
    } else if (nowNanos - closedNanos >= CLOSED_AT_MOST.toNanos()) {
      isClosed = false;
    }
    return !isClosed;
  }
}
