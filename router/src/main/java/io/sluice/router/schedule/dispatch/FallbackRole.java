package io.sluice.router.schedule.dispatch;

import io.sluice.router.placement.CapacityAnswer;
import io.sluice.router.policy.Decision;
import io.sluice.router.queue.PendingQueue;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Dispatches requests under their fallback models. They reserve and wait for nothing there: they
 * still wait for the models that they name. Not thread-safe.
 */
final class FallbackRole implements QueueRole {
  private final PendingQueue queue;

  FallbackRole(PendingQueue queue) {
    this.queue = queue;
  }

  @Override
  public RequestMetadata metadata(TrackedRequest tracked) {
    return tracked.metadata().onFallback().orElse(tracked.metadata());
  }

  @Override
  public Optional<String> fallbackModel(RequestMetadata metadata) {
    return Optional.of(metadata.model());
  }

  @Override
  public boolean isTriedApart(RequestMetadata metadata) {
    return false;
  }

  @Override
  public boolean waitsForPrefix(
      RequestMetadata metadata, Decision decision, OptionalLong firstTokenBy, TimePoint now) {
    return false;
  }

  @Override
  public void tried(RequestMetadata metadata, boolean isUnservable) {
    // Says nothing of the model that the request names.
  }

  @Override
  public void tooLong(PendingQueue.Waiting waiting) {
    // Says nothing of the model that the request names.
  }

  @Override
  public CapacityAnswer reserveCapacity(
      RequestMetadata metadata, Decision decision, TimePoint now) {
    return CapacityAnswer.NOT_DUE;
  }

  @Override
  public void charge(RequestMetadata metadata, TimePoint now) {
    queue.served(metadata, now);
  }
}
