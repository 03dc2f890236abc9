package io.sluice.router.schedule;

import io.sluice.common.fleet.WorkerSnapshot;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.fleet.FleetSnapshot;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Sends one task's waiting requests to the workers that have room for them, and leaves the rest
 * waiting.
 */
final class Dispatcher {
  private final RequestStore store;
  private final PendingQueue queue;
  private final Placement placement;
  private final Transitions transitions;
  private final Supplier<FleetSnapshot> fleet;
  private final Ledger ledger;

  Dispatcher(
      RequestStore store,
      PendingQueue queue,
      Placement placement,
      Transitions transitions,
      SchedulerParts parts) {
    this.store = store;
    this.queue = queue;
    this.placement = placement;
    this.transitions = transitions;
    this.fleet = parts.fleet();
    this.ledger = parts.ledger();
  }

  /** Sends what can be sent: within a group in order, and no group waits for another. */
  void sendWaiting(Now now) {
    for (PendingQueue.Group group : queue.ready()) {
      Optional<String> next = queue.head(group);
      while (next.isPresent() && send(next.get(), now)) {
        next = queue.head(group);
      }
    }
  }

  private boolean send(String requestId, Now now) {
    TrackedRequest tracked = store.get(requestId).orElseThrow();
    RequestFacts facts = tracked.facts();
    Optional<WorkerSnapshot> worker = placement.place(facts, fleet.get(), now.nanos());
    if (worker.isEmpty()) {
      return false;
    }
    Optional<RequestBody> body = store.body(requestId);
    if (body.isPresent()) {
      transitions.lease(tracked, body.get(), worker.get(), now);
    } else {
      ledger.release(worker.get().id(), facts.contextTokens());
      transitions.refuse(
          tracked, ErrorKind.ENGINE_ERROR, "the request's body is lost; send it again");
    }
    return true;
  }
}
