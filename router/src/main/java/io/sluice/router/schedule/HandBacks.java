package io.sluice.router.schedule;

import io.sluice.common.fleet.WorkerSnapshot;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import java.util.HashMap;
import java.util.Map;

/**
 * Which workers gave which request back: each is not asked again for that request before it has
 * reported anew, also when others were asked in between. Not thread-safe.
 */
final class HandBacks {
  private record LastWord(String incarnation, long sequence) {
    boolean stillStands(WorkerSnapshot worker) {
      return worker.incarnation().equals(incarnation) && worker.sequence() <= sequence;
    }
  }

  private final Map<String, Map<String, LastWord>> byRequest = new HashMap<>();

  /**
   * A lease ended without an answer; nothing is kept of a worker that is gone, or has started anew
   * since.
   */
  void add(LeaseRef lease, FleetSnapshot fleet) {
    fleet
        .worker(lease.worker())
        .map(WorkerView::snapshot)
        .filter(worker -> worker.incarnation().equals(lease.incarnation()))
        .ifPresent(
            worker ->
                byRequest
                    .computeIfAbsent(lease.requestId(), any -> new HashMap<>())
                    .put(worker.id(), new LastWord(worker.incarnation(), worker.sequence())));
  }

  /** Whether a worker has not reported since it gave the request back. */
  boolean exclude(WorkerSnapshot worker, String requestId) {
    LastWord lastWord = byRequest.getOrDefault(requestId, Map.of()).get(worker.id());
    return lastWord != null && lastWord.stillStands(worker);
  }

  /** The request is over. */
  void forget(String requestId) {
    byRequest.remove(requestId);
  }
}
