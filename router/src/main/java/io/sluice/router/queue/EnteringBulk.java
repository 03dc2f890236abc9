package io.sluice.router.queue;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Bulk requests that were put into their lanes and have not come out of them. A lane that is read
 * late, or not at all for a while, must not be filled with what nobody counts. Those that never
 * come out, since their partition went to another router, are forgotten after a minute. As many as
 * there is room for at workers. Thread-safe.
 */
final class EnteringBulk {
  private static final long FORGET_NANOS = Duration.ofMinutes(1).toNanos();

  private record Entering(RequestKind kind, long sinceNanos) {}

  /** By request; the longest on their way come first. */
  private final LinkedHashMap<String, Entering> requests = new LinkedHashMap<>();

  synchronized void add(String requestId, RequestKind kind, long nowNanos) {
    requests.putLast(requestId, new Entering(kind, nowNanos));
    while (nowNanos - requests.firstEntry().getValue().sinceNanos() > FORGET_NANOS) {
      requests.pollFirstEntry();
    }
  }

  synchronized void remove(String requestId) {
    requests.remove(requestId);
  }

  /** How many of each kind; the map is the caller's. */
  synchronized Map<RequestKind, Integer> byKind() {
    Map<RequestKind, Integer> kinds = new HashMap<>();
    requests.values().forEach(entering -> kinds.merge(entering.kind(), 1, Integer::sum));
    return kinds;
  }
}
