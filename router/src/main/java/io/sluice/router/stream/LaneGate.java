package io.sluice.router.stream;

import java.time.Duration;

/**
 * Decides whether a stream thread may take requests now, or has to catch up with outcomes first.
 * Outcomes end leases, free slots, and keep leases from being judged by outdated information, and
 * every request that is taken causes more of them. So requests wait in their lanes while the unread
 * outcomes exceed what the thread reads in {@link #BEHIND_AT_MOST} at its recent rate, but at least
 * {@value #FEW}, and some of them have been fetched. After half a second of waiting, one poll takes
 * whatever there is. Not thread-safe.
 */
final class LaneGate {
  static final long FEW = 64;
  static final Duration BEHIND_AT_MOST = Duration.ofMillis(50);
  static final Duration CLOSED_AT_MOST = Duration.ofMillis(500);

  /** The period over which the rate is measured. */
  static final Duration WINDOW = Duration.ofSeconds(1);

  private boolean isClosed;
  private long closedNanos;
  private long windowNanos;
  private long read;
  private double readPerNano;

  /** The gate of a thread that has read nothing yet. */
  LaneGate(long nowNanos) {
    windowNanos = nowNanos;
  }

  /** The thread has read outcomes, possibly none. */
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
   * @param unread the number of outcomes that the thread has not read yet
   * @return whether the poll may take requests
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
