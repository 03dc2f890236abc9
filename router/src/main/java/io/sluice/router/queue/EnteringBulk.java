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

  private record Entering(RequestKind kind, long sinceNanos) {}

  /** By request, the oldest first. */
  private final LinkedHashMap<String, Entering> requests = new LinkedHashMap<>();

  synchronized void add(String requestId, RequestKind kind, long nowNanos) {
    requests.putLast(requestId, new Entering(kind, nowNanos));
  }

  synchronized void remove(String requestId) {
    requests.remove(requestId);
  }

  /** The number of each kind. The caller owns the map. */
  synchronized Map<RequestKind, Integer> byKind(long nowNanos) {
    // Here and not in add: if what never arrives takes all room, nothing is added.
    while (!requests.isEmpty()
        && nowNanos - requests.firstEntry().getValue().sinceNanos() > FORGET_NANOS) {
      requests.pollFirstEntry();
    }
    Map<RequestKind, Integer> kinds = new HashMap<>();
    requests.values().forEach(entering -> kinds.merge(entering.kind(), 1, Integer::sum));
    return kinds;
  }
}
