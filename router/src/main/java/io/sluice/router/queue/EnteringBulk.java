package io.sluice.router.queue;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Bulk requests that were put into their lanes and have not arrived from them. They are counted so
 * that a lane that is read late is not overfilled. Requests whose partition moved to another router
 * never arrive; they are forgotten after one minute. There are at most as many as the workers have
 * room for. Thread-safe.
 */
final class EnteringBulk {
  private static final long FORGET_NANOS = Duration.ofMinutes(1).toNanos();

  private record Entering(BulkSize size, long sinceNanos) {}

  /** By request, the oldest first. */
  private final LinkedHashMap<String, Entering> requests = new LinkedHashMap<>();

  synchronized void add(String requestId, BulkSize size, long nowNanos) {
    requests.putLast(requestId, new Entering(size, nowNanos));
  }

  synchronized void remove(String requestId) {
    requests.remove(requestId);
  }

  /** Returns the number of each size. The caller owns the map. */
  synchronized Map<BulkSize, Integer> bySize(long nowNanos) {
    // Here and not in add: if what never arrives takes all room, nothing is added.
    while (!requests.isEmpty()
        && nowNanos - requests.firstEntry().getValue().sinceNanos() > FORGET_NANOS) {
      requests.pollFirstEntry();
    }
    Map<BulkSize, Integer> sizes = new HashMap<>();
    requests.values().forEach(entering -> sizes.merge(entering.size(), 1, Integer::sum));
    return sizes;
  }
}
