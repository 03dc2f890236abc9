package io.sluice.router.placement;

import io.sluice.router.demand.DemandKey;
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
 * What one task has reserved in the shared {@link Ledger}: one slot per request, which is returned
 * exactly once, and capacity for large prompts. All of it is released when the task closes. Not
 * thread-safe.
 */
public final class TaskReservations {
  private record Slot(
      String worker,
      DemandKey key,
      long tokens,
      long deadlineMillis,
      Optional<Experience.Sent> sent) {
    static Slot of(RequestMetadata metadata, String worker, Optional<Experience.Sent> sent) {
      return new Slot(
          worker,
          DemandKey.of(metadata.model(), metadata.classification().tiers(), metadata.priority()),
          metadata.contextTokens(),
          metadata.deadlineEpochMillis(),
          sent);
    }
  }

  private final Ledger ledger;
  private final Map<String, Slot> slots = new HashMap<>();
  private final Set<String> withCapacity = new LinkedHashSet<>();

  public TaskReservations(Ledger ledger) {
    this.ledger = ledger;
  }

  /** Takes a slot for a request, if the worker has a free one. */
  boolean tryReserve(
      RequestMetadata metadata, WorkerView worker, Supplier<Experience.Sent> sent, TimePoint now) {
    release(metadata.requestId());
    if (!ledger.tryReserve(worker, metadata.contextTokens(), now.nanos())) {
      return false;
    }
    take(metadata, Slot.of(metadata, worker.snapshot().id(), Optional.of(sent.get())));
    return true;
  }

  /** A request has its first token: its prompt is computed. */
  public void started(String requestId, OptionalInt cachedTokens, TimePoint now) {
    Optional.ofNullable(slots.get(requestId))
        .flatMap(Slot::sent)
        .ifPresent(sent -> sent.started(cachedTokens, now.nanos()));
  }

  /** A request was answered. The engine may report how much of the prompt it had cached. */
  public void answered(String requestId, OptionalInt cachedTokens) {
    Optional<Experience.Sent> sent = Optional.ofNullable(slots.get(requestId)).flatMap(Slot::sent);
    cachedTokens.ifPresent(cached -> sent.ifPresent(any -> any.cached(cached)));
  }

  /** Counts a slot that a request already has, whether or not there is room. */
  public void restore(RequestMetadata metadata, String worker) {
    release(metadata.requestId());
    ledger.restore(worker, metadata.contextTokens());
    take(metadata, Slot.of(metadata, worker, Optional.empty()));
  }

  private void take(RequestMetadata metadata, Slot slot) {
    slots.put(metadata.requestId(), slot);
    ledger.running().add(slot.key(), slot.tokens(), slot.deadlineMillis());
  }

  /** Returns the slot of a request, if it has one. */
  public void release(String requestId) {
    Slot slot = slots.remove(requestId);
    if (slot != null) {
      giveBack(slot);
    }
  }

  /** Reserves capacity for a request that has waited long for room. */
  public CapacityAnswer reserveCapacity(
      RequestMetadata metadata, Decision decision, TimePoint now) {
    CapacityAnswer answer = ledger.capacityReservations().reserve(metadata, decision::room, now);
    if (answer == CapacityAnswer.RESERVED) {
      withCapacity.add(metadata.requestId());
    }
    return answer;
  }

  /**
   * Returns the time from which a request has waited long enough to reserve capacity, epoch
   * milliseconds.
   */
  public static long reservableFromMillis(RequestMetadata metadata) {
    return CapacityReservations.reservableFromMillis(metadata);
  }

  /** Returns whether capacity is reserved for a request. */
  public boolean hasCapacityReserved(String requestId) {
    return withCapacity.contains(requestId);
  }

  /** Returns the requests with reserved capacity, in the order of their reservations. */
  public List<String> withCapacity() {
    withCapacity.removeIf(
        requestId -> ledger.capacityReservations().workerFor(requestId).isEmpty());
    return List.copyOf(withCapacity);
  }

  /** No worker has room for a request yet. Releases a worker that can no longer serve it. */
  public void keepCapacity(String requestId, Decision decision) {
    Optional<String> reserved = ledger.capacityReservations().workerFor(requestId);
    if (decision.room().stream().noneMatch(room -> reserved.equals(Optional.of(room.worker())))) {
      releaseCapacity(requestId);
    }
  }

  /** Releases the capacity of a request. */
  public void releaseCapacity(String requestId) {
    if (withCapacity.remove(requestId)) {
      ledger.capacityReservations().release(requestId);
    }
  }

  /** Releases everything. */
  public void releaseAll() {
    List.copyOf(withCapacity).forEach(this::releaseCapacity);
    slots.values().forEach(this::giveBack);
    slots.clear();
  }

  private void giveBack(Slot slot) {
    ledger.running().remove(slot.key(), slot.tokens(), slot.deadlineMillis());
    if (slot.sent().isPresent()) {
      ledger.release(slot.worker(), slot.tokens());
      slot.sent().get().ended();
    } else {
      ledger.releaseRestored(slot.worker(), slot.tokens());
    }
  }
}
