package io.sluice.router.stream;

import java.time.Duration;

/**
 * Whether a stream thread may take requests now, or has outcomes to catch up with first. What
 * workers report ends leases, frees slots, and keeps leases from being judged by old news; and
 * every request that is taken brings some more reports. So requests wait in their lanes while more
 * outcomes are unread than the thread reads in {@link #BEHIND_AT_MOST}, by what it has read lately,
 * but at least {@value #FEW}, and some of them have been fetched. They do not wait for ever: after
 * half a second of that, one poll takes whatever there is. Not thread-safe.
 */
final class LaneGate {
  static final long FEW = 64;
  static final Duration BEHIND_AT_MOST = Duration.ofMillis(50);
  static final Duration CLOSED_AT_MOST = Duration.ofMillis(500);

  /** So long it is counted what is read. */
  static final Duration WINDOW = Duration.ofSeconds(1);

  private boolean isClosed;
  private long closedNanos;
  private long windowNanos;
  private long read;
  private double readPerNano;

  /** A gate of a thread that has read nothing yet. */
  LaneGate(long nowNanos) {
    windowNanos = nowNanos;
  }

  /** The thread has read outcomes, or none. */
  void read(int outcomes, long nowNanos) {
    read += outcomes;
    long length = nowNanos - windowNanos;
    if (length >= WINDOW.toNanos()) {
      readPerNano = (double) read / length;
      windowNanos = nowNanos;
      read = 0;
    }
  }

  /**
   * Decides for the next poll.
   *
   * @param unread how many outcomes the thread has not read yet
   * @return whether it may bring requests
   */
  boolean opens(long unread, long nowNanos) {
    if (unread <= Math.max(FEW, readPerNano * BEHIND_AT_MOST.toNanos())) {
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
