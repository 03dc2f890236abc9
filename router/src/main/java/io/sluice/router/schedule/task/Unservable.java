package io.sluice.router.schedule.task;

import io.sluice.common.protocol.Priority;
import io.sluice.router.queue.Backlog;
import io.sluice.router.queue.PendingQueue;
import io.sluice.router.request.RequestMetadata;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Waiting requests of one task that no known worker could take, even if it were idle. Bulk does not
 * yield to them. Not thread-safe.
 */
public final class Unservable {
  private final Backlog backlog;
  private final Map<String, RequestMetadata> byRequest = new HashMap<>();

  Unservable(Backlog backlog) {
    this.backlog = backlog;
  }

  /** Returns whether a request does not count yet as one that no worker can take, and could. */
  public boolean isNew(PendingQueue.Waiting waiting) {
    return waiting.priority() != Priority.BULK && !byRequest.containsKey(waiting.requestId());
  }

  /**
   * A request was tried. Has no effect on bulk, to which nothing yields.
   *
   * @param is whether no known worker could take it
   */
  public void found(RequestMetadata metadata, boolean is) {
    if (!is) {
      forget(metadata.requestId());
    } else if (metadata.priority() != Priority.BULK
        && byRequest.putIfAbsent(metadata.requestId(), metadata) == null) {
      backlog.standsAside(metadata);
    }
  }

  /** The request no longer waits. */
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
