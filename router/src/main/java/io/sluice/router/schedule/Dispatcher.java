package io.sluice.router.schedule;

import io.sluice.common.fleet.WorkerSnapshot;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.schedule.PendingQueue.Group;
import io.sluice.router.schedule.PendingQueue.Waiting;
import java.util.Optional;

/**
 * Sends one task's waiting requests to the workers that have room for them, and leaves the rest
 * waiting: within a group in order, and no group waits for another. A request that is too long for
 * every worker there is does not hold up the shorter ones behind it.
 */
final class Dispatcher {
  /**
   * How many requests of a group are looked at behind one that no worker can take; bounds the work
   * of one call.
   */
  private static final int LOOK_PAST = 500;

  private final RequestStore store;
  private final PendingQueue queue;
  private final Reservations reservations;
  private final Placement placement;
  private final Transitions transitions;

  Dispatcher(RequestStore store, TaskMemory memory, Placement placement, Transitions transitions) {
    this.store = store;
    this.queue = memory.queue();
    this.reservations = memory.reservations();
    this.placement = placement;
    this.transitions = transitions;
  }

  /** Sends what can be sent. */
  void sendWaiting(Now now) {
    queue.ready().forEach(group -> sendWaiting(group, now));
  }

  private void sendWaiting(Group group, Now now) {
    long tooLong = Long.MAX_VALUE;
    int passed = 0;
    Optional<Waiting> next = queue.first(group);
    while (next.isPresent() && passed < LOOK_PAST) {
      Waiting waiting = next.get();
      if (waiting.contextTokens() >= tooLong) {
        passed++;
      } else {
        TrackedRequest tracked = store.get(waiting.requestId()).orElseThrow();
        switch (placement.place(tracked.facts(), now)) {
          case Placement.Place.At at -> send(tracked, at.worker(), now);
          case Placement.Place.NoWorker() -> {
            tooLong = waiting.contextTokens();
            passed++;
          }
          case Placement.Place.NoRoom() -> {
            return;
          }
        }
      }
      next = queue.after(group, waiting);
    }
  }

  private void send(TrackedRequest tracked, WorkerSnapshot worker, Now now) {
    String requestId = tracked.facts().requestId();
    Optional<RequestBody> body = store.body(requestId);
    if (body.isPresent()) {
      transitions.lease(tracked, body.get(), worker, now);
    } else {
      reservations.release(requestId);
      transitions.refuse(
          tracked, ErrorKind.ENGINE_ERROR, "the request's body is lost; send it again");
    }
  }
}
