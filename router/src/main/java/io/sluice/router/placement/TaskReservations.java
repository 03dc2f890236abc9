package io.sluice.router.placement;

import io.sluice.router.fleet.WorkerView;
import io.sluice.router.policy.Decision;
import io.sluice.router.policy.Experience;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
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
public final class TaskReservations {
  private record Slot(String worker, long tokens, Optional<Experience.Sent> sent) {}

  private final Ledger ledger;
  private final Map<String, Slot> slots = new HashMap<>();
  private final Set<String> withCapacity = new LinkedHashSet<>();

  public TaskReservations(Ledger ledger) {
    this.ledger = ledger;
  }

  /** Takes a slot for a request, if the worker has one left. */
  boolean tryReserve(
      RequestMetadata metadata, WorkerView worker, Supplier<Experience.Sent> sent, TimePoint now) {
    release(metadata.requestId());
    if (!ledger.tryReserve(worker, metadata.contextTokens(), now.nanos())) {
      return false;
    }
    Slot slot = new Slot(worker.snapshot().id(), metadata.contextTokens(), Optional.of(sent.get()));
    slots.put(metadata.requestId(), slot);
    return true;
  }

  /** A request has its first token; its prompt is computed. */
  public void started(String requestId, OptionalInt cachedTokens, TimePoint now) {
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
  public void restore(RequestMetadata metadata, String worker) {
    release(metadata.requestId());
    ledger.restore(worker, metadata.contextTokens());
    slots.put(metadata.requestId(), new Slot(worker, metadata.contextTokens(), Optional.empty()));
  }

  /** Gives a request's slot back, if it has one. */
  public void release(String requestId) {
    Slot slot = slots.remove(requestId);
    if (slot != null) {
      giveBack(slot);
    }
  }

  /** Whether a worker is held for a request from now on, that has waited long for room. */
  public boolean tryReserveCapacity(RequestMetadata metadata, Decision decision, TimePoint now) {
    Optional<String> worker = ledger.capacityReservations().reserve(metadata, decision::room, now);
    worker.ifPresent(reserved -> withCapacity.add(metadata.requestId()));
    return worker.isPresent();
  }

  /** From when on a request has waited long enough for a worker to be held; epoch milliseconds. */
  public static long reservableFromMillis(RequestMetadata metadata) {
    return CapacityReservations.reservableFromMillis(metadata);
  }

  /** Whether a worker is held for a request. */
  public boolean hasCapacityReserved(String requestId) {
    return withCapacity.contains(requestId);
  }

  /** The requests for which workers are held, the first to hold one first. */
  public List<String> withCapacity() {
    withCapacity.removeIf(
        requestId -> ledger.capacityReservations().workerFor(requestId).isEmpty());
    return List.copyOf(withCapacity);
  }

  /** Still no worker has room for a request; one that cannot serve it any more is not held. */
  public void keepCapacity(String requestId, Decision decision) {
    Optional<String> reserved = ledger.capacityReservations().workerFor(requestId);
    if (decision.room().stream().noneMatch(room -> reserved.equals(Optional.of(room.worker())))) {
      releaseCapacity(requestId);
    }
  }

  /** No worker is held for a request any more. */
  public void releaseCapacity(String requestId) {
    if (withCapacity.remove(requestId)) {
      ledger.capacityReservations().release(requestId);
    }
  }

  /** Gives everything back. */
  public void releaseAll() {
    List.copyOf(withCapacity).forEach(this::releaseCapacity);
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
