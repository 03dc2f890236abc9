package io.sluice.router.queue;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The bulk requests that wait or are on their way into a lane of this router. Thread-safe. */
final class BulkCounts {
  private final AtomicInteger waiting = new AtomicInteger();
  private final Counts<BulkSize> sizes = new Counts<>();
  private final EnteringBulk entering = new EnteringBulk();

  /** This many more wait. */
  void add(BulkSize size, int by) {
    waiting.addAndGet(by);
    sizes.add(size, by);
  }

  /** One was put into a lane. It counts from now on. */
  void entering(String requestId, BulkSize size, long nowNanos) {
    entering.add(requestId, size, nowNanos);
  }

  /** One has arrived from its lane, or was not put into it. */
  void arrived(String requestId) {
    entering.remove(requestId);
  }

  /** Returns the number of those that wait. */
  int waiting() {
    return waiting.get();
  }

  /** Returns the number of each size. */
  Map<BulkSize, Integer> bySize(long nowNanos) {
    Map<BulkSize, Integer> all = entering.bySize(nowNanos);
    sizes.forEach((size, count) -> all.merge(size, count, Integer::sum));
    return all;
  }
}
