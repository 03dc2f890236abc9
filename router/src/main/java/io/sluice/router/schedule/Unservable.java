package io.sluice.router.schedule;

import io.sluice.common.protocol.Priority;
import io.sluice.router.queue.Backlog;
import io.sluice.router.request.RequestMetadata;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Waiting requests of one task that no known worker could take, even if it were idle. Bulk does not
 * yield to them. Not thread-safe.
 */
final class Unservable {
  private final Backlog backlog;
  private final Map<String, RequestMetadata> byRequest = new HashMap<>();

  Unservable(Backlog backlog) {
    this.backlog = backlog;
  }

  /** No known worker could take a request. Has no effect on bulk, to which nothing yields. */
  void add(RequestMetadata metadata) {
    if (metadata.priority() != Priority.BULK
        && byRequest.putIfAbsent(metadata.requestId(), metadata) == null) {
      backlog.standsAside(metadata);
    }
  }

  /** A worker could take a request, or the request no longer waits. */
  void forget(String requestId) {
    RequestMetadata known = byRequest.remove(requestId);
    if (known != null) {
      backlog.standsAsideNoMore(known);
    }
  }

  /** Forgets all requests. */
  void clear() {
    Set.copyOf(byRequest.keySet()).forEach(this::forget);
  }
}
