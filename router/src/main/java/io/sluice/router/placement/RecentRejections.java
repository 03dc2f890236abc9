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
 * Which workers gave which request back: each is not asked again for that request before it has
 * reported anew, also when others were asked in between, or a second has passed. Not thread-safe.
 */
public final class RecentRejections {
  /**
   * So long a worker is spared, some four heartbeats: without a registry nobody hears it report,
   * and it may be the only one there is.
   */
  private static final Duration EXCLUDED_FOR = Duration.ofSeconds(1);

  private record Rejection(String incarnation, long sequence, long nanos) {
    boolean isCurrent(WorkerSnapshot worker, TimePoint now) {
      return worker.incarnation().equals(incarnation)
          && worker.sequence() <= sequence
          && now.nanos() - nanos < EXCLUDED_FOR.toNanos();
    }
  }

  private final Map<String, Map<String, Rejection>> byRequest = new HashMap<>();

  /**
   * A lease ended without an answer; nothing is kept of a worker that is gone, or has started anew
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
                        new Rejection(worker.incarnation(), worker.sequence(), now.nanos())));
  }

  /** Whether a worker gave the request back just now, and has not reported since. */
  boolean excludes(WorkerSnapshot worker, String requestId, TimePoint now) {
    Rejection rejection = byRequest.getOrDefault(requestId, Map.of()).get(worker.id());
    return rejection != null && rejection.isCurrent(worker, now);
  }

  /** The request is over. */
  public void forget(String requestId) {
    byRequest.remove(requestId);
  }
}
