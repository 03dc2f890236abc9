package io.sluice.router.schedule;

import io.sluice.router.placement.Placement;
import io.sluice.router.queue.Backlog;
import io.sluice.router.queue.RequestKind;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.schedule.task.Endings;
import io.sluice.router.schedule.task.TaskMemory;
import java.util.List;
import java.util.Optional;

/**
 * Refuses admitted interactive requests that have waited for the maximum time while others of their
 * kind were served. When such a request arrived, the waiting time was unknown or underestimated.
 * Without this limit, an overload at the start of a pool would leave a backlog that every later
 * request has to wait behind.
 *
 * <p>Time in which requests of its kind were not served, because there were no workers or all were
 * unhealthy, does not count. Requests that no known worker could take wait until their deadline. So
 * do requests that were with a worker before, were found by a starting task, were amended by their
 * caller, are bulk, have reserved capacity, or could be dispatched but wait for a worker that has
 * their prompt cached. Not thread-safe.
 */
final class WaitLimit {
  /** Bounds the work of one call. It does not limit how many are refused per second. */
  private static final int AT_ONCE = 100;

  private final RequestStore store;
  private final Backlog backlog;
  private final TaskMemory memory;
  private final Placement placement;
  private final Endings endings;

  WaitLimit(
      RequestStore store,
      Backlog backlog,
      TaskMemory memory,
      Placement placement,
      Endings endings) {
    this.store = store;
    this.backlog = backlog;
    this.memory = memory;
    this.placement = placement;
    this.endings = endings;
  }

  /** Refuses the requests whose time is over. Call this every few tens of milliseconds. */
  void due(TimePoint now) {
    int left = AT_ONCE;
    for (RequestKind kind : memory.waitTimes().kinds()) {
      List<String> late =
          memory
              .waitTimes()
              .take(
                  kind,
                  since -> backlog.hasWaitedTooLong(kind, since, now),
                  requestId -> memory.prefixWaits().isWaiting(requestId, now),
                  left);
      refuse(late.stream().map(store::get).flatMap(Optional::stream).toList(), now);
      left -= late.size();
    }
  }

  /**
   * All requests are of one kind, so a worker that could serve one could serve every smaller one.
   */
  private void refuse(List<TrackedRequest> late, TimePoint now) {
    long servableTokens = -1;
    for (TrackedRequest tracked : late) {
      RequestMetadata metadata = tracked.metadata();
      if (metadata.contextTokens() > servableTokens && placement.isServable(metadata, now)) {
        servableTokens = metadata.contextTokens();
      }
      if (metadata.contextTokens() > servableTokens
          || memory.reservations().hasCapacityReserved(metadata.requestId())) {
        memory.waitTimes().begin(metadata, now);
      } else {
        // By then everything that waits now is served or refused.
        endings.overloaded(
            tracked,
            "the request has waited too long for a worker; try again later",
            backlog.maxWait());
      }
    }
  }
}
