package io.sluice.router.schedule.dispatch;

import io.sluice.router.placement.CapacityAnswer;
import io.sluice.router.placement.TaskReservations;
import io.sluice.router.policy.Decision;
import io.sluice.router.queue.PendingQueue;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.schedule.task.Charges;
import io.sluice.router.schedule.task.PrefixWaits;
import io.sluice.router.schedule.task.TaskMemory;
import io.sluice.router.schedule.task.Unservable;
import java.util.Optional;
import java.util.OptionalLong;

/** Dispatches requests under the models that they name. Not thread-safe. */
final class RequestedModelRole implements QueueRole {
  private final RequestStore store;
  private final TaskReservations reservations;
  private final PrefixWaits prefixWaits;
  private final Unservable unservable;
  private final Charges charges;

  RequestedModelRole(RequestStore store, TaskMemory memory) {
    this.store = store;
    this.reservations = memory.reservations();
    this.prefixWaits = memory.prefixWaits();
    this.unservable = memory.unservable();
    this.charges = memory.charges();
  }

  @Override
  public RequestMetadata metadata(TrackedRequest tracked) {
    return tracked.metadata();
  }

  @Override
  public Optional<String> fallbackModel(RequestMetadata metadata) {
    return Optional.empty();
  }

  @Override
  public boolean isTriedApart(RequestMetadata metadata) {
    return reservations.hasCapacityReserved(metadata.requestId());
  }

  /** With a fallback model, a worker without the prefix is better than another model. */
  @Override
  public boolean waitsForPrefix(
      RequestMetadata metadata, Decision decision, OptionalLong firstTokenBy, TimePoint now) {
    return metadata.fallbackModel().isEmpty()
        && prefixWaits.waits(metadata, decision, firstTokenBy, now);
  }

  @Override
  public void tried(RequestMetadata metadata, boolean isUnservable) {
    unservable.found(metadata, isUnservable);
  }

  @Override
  public void tooLong(PendingQueue.Waiting waiting) {
    if (unservable.isNew(waiting)) {
      TrackedRequest tracked = store.get(waiting.requestId()).orElseThrow();
      prefixWaits.forget(tracked.requestId());
      unservable.found(tracked.metadata(), true);
    }
  }

  @Override
  public CapacityAnswer reserveCapacity(
      RequestMetadata metadata, Decision decision, TimePoint now) {
    return reservations.reserveCapacity(metadata, decision, now);
  }

  @Override
  public void charge(RequestMetadata metadata, TimePoint now) {
    charges.dispatched(metadata, now);
  }
}
