package io.sluice.router.schedule;

import io.sluice.router.placement.Placement;
import io.sluice.router.queue.Backlog;
import io.sluice.router.queue.RequestKind;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import java.util.List;
import java.util.Optional;

/**
 * Refuses interactive requests that were let in and have waited for as long as is allowed while
 * others of their kind were served: when they came nobody knew how long they would wait, or it was
 * estimated too short. Without this a load that is too high for a pool that has just begun would
 * leave a backlog that everybody after it has to wait for.
 *
 * <p>Time in which nobody served its kind, for want of workers or because all were unwell, does not
 * count, and whatever no worker that is known could take waits until its deadline. So does what was
 * sent to a worker before, what a task found when it began, what its caller has amended, bulk, and
 * what holds a worker. Not thread-safe.
 */
final class WaitLimit {
  /** Bounds the work of one call, not what a second can refuse. */
  private static final int AT_ONCE = 100;

  private final RequestStore store;
  private final Backlog backlog;
  private final TaskMemory memory;
  private final Placement placement;
  private final Transitions transitions;

  WaitLimit(
      RequestStore store,
      Backlog backlog,
      TaskMemory memory,
      Placement placement,
      Transitions transitions) {
    this.store = store;
    this.backlog = backlog;
    this.memory = memory;
    this.placement = placement;
    this.transitions = transitions;
  }

  /** Refuses those whose time is over; to be called every few tens of milliseconds. */
  void due(TimePoint now) {
    int left = AT_ONCE;
    for (RequestKind kind : memory.waitTimes().kinds()) {
      List<String> late =
          memory.waitTimes().take(kind, since -> backlog.hasWaitedTooLong(kind, since, now), left);
      refuse(late.stream().map(store::get).flatMap(Optional::stream).toList(), now);
      left -= late.size();
    }
  }

  /** All of one kind, so that who could serve one could serve those that are no larger. */
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
        // By then all that waits now is served or refused.
        transitions.overloaded(
            tracked, "it has waited too long; try again later", backlog.maxWait());
      }
    }
  }
}
