package io.sluice.router.schedule;

import io.sluice.common.fleet.WorkerSnapshot;
import java.util.HashMap;
import java.util.Map;

/**
 * What one task has taken out of the {@link Ledger} that it shares with others: one slot per
 * request, given back exactly once, whatever becomes of the task. Not thread-safe.
 */
final class Reservations {
  private record Slot(String worker, long tokens) {}

  private final Ledger ledger;
  private final Map<String, Slot> slots = new HashMap<>();

  Reservations(Ledger ledger) {
    this.ledger = ledger;
  }

  /** Takes a slot for a request, if the worker has one left. */
  boolean tryReserve(RequestFacts facts, WorkerSnapshot worker) {
    release(facts.requestId());
    if (!ledger.tryReserve(worker, facts.contextTokens())) {
      return false;
    }
    slots.put(facts.requestId(), new Slot(worker.id(), facts.contextTokens()));
    return true;
  }

  /** Counts a slot that a request has already, whether or not there is room. */
  void restore(RequestFacts facts, String worker) {
    release(facts.requestId());
    ledger.restore(worker, facts.contextTokens());
    slots.put(facts.requestId(), new Slot(worker, facts.contextTokens()));
  }

  /** Gives a request's slot back, if it has one. */
  void release(String requestId) {
    Slot slot = slots.remove(requestId);
    if (slot != null) {
      ledger.release(slot.worker(), slot.tokens());
    }
  }

  /** Gives everything back. */
  void releaseAll() {
    slots.values().forEach(slot -> ledger.release(slot.worker(), slot.tokens()));
    slots.clear();
  }
}
