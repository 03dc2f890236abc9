package io.sluice.router.placement;

import io.sluice.router.fleet.WorkerView;
import io.sluice.router.policy.Decision;
import io.sluice.router.policy.Experience;
import io.sluice.router.request.Now;
import io.sluice.router.request.RequestFacts;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What one task has taken out of the {@link Ledger} that it shares with others: one slot per
 * request, given back exactly once, and the workers that are held for its requests, whatever
 * becomes of the task. Not thread-safe.
 */
public final class Reservations {
  private record Slot(String worker, long tokens, Optional<Experience.Sent> sent) {}

  private final Ledger ledger;
  private final Map<String, Slot> slots = new HashMap<>();
  private final Set<String> holding = new LinkedHashSet<>();

  public Reservations(Ledger ledger) {
    this.ledger = ledger;
  }

  /** Takes a slot for a request, if the worker has one left. */
  boolean tryReserve(
      RequestFacts facts, WorkerView worker, Supplier<Experience.Sent> sent, Now now) {
    release(facts.requestId());
    if (!ledger.tryReserve(worker, facts.contextTokens(), now.nanos())) {
      return false;
    }
    Slot slot = new Slot(worker.snapshot().id(), facts.contextTokens(), Optional.of(sent.get()));
    slots.put(facts.requestId(), slot);
    return true;
  }

  /** A request has its first token; its prompt is computed. */
  public void started(String requestId, OptionalInt cachedTokens, Now now) {
    Optional.ofNullable(slots.get(requestId))
        .flatMap(Slot::sent)
        .ifPresent(sent -> sent.started(cachedTokens, now.nanos()));
  }

  /** A request was answered; tells how much of its prompt the engine had cached, if it says so. */
  public void answered(String requestId, OptionalInt cachedTokens) {
    Optional<Experience.Sent> sent = Optional.ofNullable(slots.get(requestId)).flatMap(Slot::sent);
    cachedTokens.ifPresent(cached -> sent.ifPresent(any -> any.cached(cached)));
  }

  /** Counts a slot that a request has already, whether or not there is room. */
  public void restore(RequestFacts facts, String worker) {
    release(facts.requestId());
    ledger.restore(worker, facts.contextTokens());
    slots.put(facts.requestId(), new Slot(worker, facts.contextTokens(), Optional.empty()));
  }

  /** Gives a request's slot back, if it has one. */
  public void release(String requestId) {
    Slot slot = slots.remove(requestId);
    if (slot != null) {
      giveBack(slot);
    }
  }

  /** Whether a worker is held for a request from now on, that has waited long for room. */
  public boolean tryHold(RequestFacts facts, Decision decision, Now now) {
    Optional<String> worker = ledger.holds().hold(facts, decision::room, now);
    worker.ifPresent(held -> holding.add(facts.requestId()));
    return worker.isPresent();
  }

  /** From when on a request has waited long enough for a worker to be held; epoch milliseconds. */
  public static long lateAtMillis(RequestFacts facts) {
    return Holds.lateAtMillis(facts);
  }

  /** Whether a worker is held for a request. */
  public boolean isHolding(String requestId) {
    return holding.contains(requestId);
  }

  /** The requests for which workers are held, the first to hold one first. */
  public List<String> holding() {
    holding.removeIf(requestId -> ledger.holds().heldFor(requestId).isEmpty());
    return List.copyOf(holding);
  }

  /** Still no worker has room for a request; one that cannot serve it any more is not held. */
  public void keepHold(String requestId, Decision decision) {
    Optional<String> held = ledger.holds().heldFor(requestId);
    if (decision.room().stream().noneMatch(room -> held.equals(Optional.of(room.worker())))) {
      releaseHold(requestId);
    }
  }

  /** No worker is held for a request any more. */
  public void releaseHold(String requestId) {
    if (holding.remove(requestId)) {
      ledger.holds().release(requestId);
    }
  }

  /** Gives everything back. */
  public void releaseAll() {
    List.copyOf(holding).forEach(this::releaseHold);
    slots.values().forEach(this::giveBack);
    slots.clear();
  }

  private void giveBack(Slot slot) {
    if (slot.sent().isPresent()) {
      ledger.release(slot.worker(), slot.tokens());
      slot.sent().get().ended();
    } else {
      ledger.releaseRestored(slot.worker(), slot.tokens());
    }
  }
}
