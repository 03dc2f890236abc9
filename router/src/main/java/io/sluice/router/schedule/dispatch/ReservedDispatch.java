package io.sluice.router.schedule.dispatch;

import io.sluice.router.fleet.WorkerView;
import io.sluice.router.placement.Placement;
import io.sluice.router.placement.TaskReservations;
import io.sluice.router.queue.PendingQueue;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.schedule.task.NoRoomCache;
import java.util.List;

/**
 * Dispatches the requests that have reserved capacity. They go last: other requests cannot take the
 * reserved room, except those of a higher priority. Not thread-safe.
 */
final class ReservedDispatch {
  private final PendingQueue queue;
  private final TaskReservations reservations;
  private final QueueRole role;
  private final QueueDispatch inTurn;
  private final RequestStore store;
  private final FirstTokenLimit firstTokenLimit;
  private final Placement placement;
  private final AssignmentSender sender;
  private final NoRoomCache<String> noRoom;

  /**
   * @param role of the queue in which these requests wait
   * @param inTurn dispatches the others of that queue
   */
  ReservedDispatch(
      PendingQueue queue,
      TaskReservations reservations,
      QueueRole role,
      QueueDispatch inTurn,
      DispatchParts parts) {
    this.queue = queue;
    this.reservations = reservations;
    this.role = role;
    this.inTurn = inTurn;
    this.store = parts.store();
    this.firstTokenLimit = parts.firstTokenLimit();
    this.placement = parts.placement();
    this.sender = parts.sender();
    this.noRoom = new NoRoomCache<>(placement);
  }

  /**
   * Dispatches the requests that find room.
   *
   * @param changed the workers that changed since the last call and have a free slot
   */
  void send(List<WorkerView> changed, TimePoint now) {
    List<String> requests = reservations.withCapacity();
    requests.forEach(requestId -> send(requestId, changed, now));
    noRoom.retain(requests);
  }

  private void send(String requestId, List<WorkerView> changed, TimePoint now) {
    TrackedRequest tracked = store.get(requestId).orElseThrow();
    if (queue.mustYield(tracked.metadata()) || !noRoom.isDue(requestId, requestId, changed, now)) {
      return;
    }
    noRoom.begin(requestId, requestId, now);
    // What has capacity reserved has waited long enough.
    switch (placement.place(
        tracked.metadata(), firstTokenLimit.latest(tracked, now), decision -> false, now)) {
      case Placement.Result.Placed placed -> {
        noRoom.forget(requestId);
        var _ = sender.send(tracked, role, placed, now);
      }
      case Placement.Result.TooLate tooLate -> {
        if (firstTokenLimit.refuse(tracked, tooLate, now)) {
          noRoom.forget(requestId);
        } else {
          noRoom.foundNone(requestId, tracked.metadata(), now);
        }
      }
      case Placement.Result none -> {
        noRoom.foundNone(requestId, tracked.metadata(), now);
        reservations.keepCapacity(requestId, none.decision());
        if (!reservations.hasCapacityReserved(requestId)) {
          // In its turn the request may reserve capacity at another worker.
          inTurn.tryAgain(tracked.metadata());
        }
      }
    }
  }
}
