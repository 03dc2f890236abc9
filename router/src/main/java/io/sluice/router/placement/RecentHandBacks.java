package io.sluice.router.placement;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.request.TimePoint;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Workers that recently handed a request back, or failed or lost it. Such a worker is not asked
 * again for that request until it has sent a new snapshot or one second has passed, even if others
 * were asked in between. Not thread-safe.
 */
public final class RecentHandBacks {
  /**
   * About four heartbeats. Without a registry no new snapshot arrives, and the worker may be the
   * only one.
   */
  private static final Duration EXCLUDED_FOR = Duration.ofSeconds(1);

  private record HandBack(String incarnation, long sequence, long nanos) {
    boolean isCurrent(WorkerSnapshot worker, TimePoint now) {
      return worker.incarnation().equals(incarnation)
          && worker.sequence() <= sequence
          && now.nanos() - nanos < EXCLUDED_FOR.toNanos();
    }
  }

  private final Map<String, Map<String, HandBack>> byRequest = new HashMap<>();

  /**
   * A lease ended without an answer. Nothing is kept about a worker that is gone or has restarted
   * since.
   */
  public void add(LeaseRef lease, FleetSnapshot fleet, TimePoint now) {
    fleet
        .worker(lease.worker())
        .map(WorkerView::snapshot)
        .filter(worker -> worker.incarnation().equals(lease.incarnation()))
        .ifPresent(
            worker ->
                byRequest
                    .computeIfAbsent(lease.requestId(), any -> new HashMap<>())
                    .put(
                        worker.id(),
                        new HandBack(worker.incarnation(), worker.sequence(), now.nanos())));
  }

  /**
   * Returns whether a worker has just handed the request back and has not sent a new snapshot
   * since.
   */
  boolean excludes(WorkerSnapshot worker, String requestId, TimePoint now) {
    HandBack handBack = byRequest.getOrDefault(requestId, Map.of()).get(worker.id());
    return handBack != null && handBack.isCurrent(worker, now);
  }

  /** The request has ended. */
  public void forget(String requestId) {
    byRequest.remove(requestId);
  }
}
