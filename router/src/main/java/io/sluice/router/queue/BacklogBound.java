package io.sluice.router.queue;

import io.sluice.router.queue.Backlog.Limits;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;

/** Limits the requests that wait in this router, by number and by bytes of heap. Thread-safe. */
final class BacklogBound {
  private final Limits limits;
  private final DoubleSupplier startedShare;
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();

  /**
   * Creates a bound of an empty backlog.
   *
   * @param startedShare the tasks of this process that have started, as a share of all. While the
   *     store of a task is restored, its waiting requests are not known, and count as its share of
   *     the limits. Otherwise each restart with a full backlog would add to it
   */
  BacklogBound(Limits limits, DoubleSupplier startedShare) {
    this.limits = limits;
    this.startedShare = startedShare;
  }

  int requests() {
    return requests.get();
  }

  long bytes() {
    return bytes.get();
  }

  void count(int moreRequests, long moreBytes) {
    requests.addAndGet(moreRequests);
    bytes.addAndGet(moreBytes);
  }

  boolean isReached() {
    Limits now = limits.times(startedShare.getAsDouble());
    return requests.get() >= now.requests() || bytes.get() >= now.bytes();
  }

  /**
   * Returns whether one more request would exceed the limits. A single request always fits in
   * bytes.
   */
  boolean isExceededBy(long moreBytes) {
    Limits now = limits.times(startedShare.getAsDouble());
    int waiting = requests.get();
    return waiting >= now.requests() || (waiting > 0 && bytes.get() + moreBytes > now.bytes());
  }
}
