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
 * What it means to dispatch the requests of one queue: under the models that they name ({@link
 * RequestedModelRole}) or under their fallback models ({@link FallbackRole}). A request with a
 * fallback model is in the queues of both. Not thread-safe.
 */
interface QueueRole {
  /** Returns what is known of a request, under the name of the model that serves it. */
  RequestMetadata metadata(TrackedRequest tracked);

  /** Returns the model that serves a request, if it is not the one that the request names. */
  Optional<String> fallbackModel(RequestMetadata metadata);

  /** Returns whether a request is not tried in its turn, because it has reserved capacity. */
  boolean isTriedApart(RequestMetadata metadata);

  /**
   * Returns whether a request waits for a worker that has its prompt cached rather than go to the
   * chosen one.
   *
   * @param firstTokenBy when its first token has to be there, in epoch milliseconds; empty if that
   *     does not matter
   */
  boolean waitsForPrefix(
      RequestMetadata metadata, Decision decision, OptionalLong firstTokenBy, TimePoint now);

  /**
   * A request was tried.
   *
   * @param isUnservable whether no known worker could take it, even if it were idle
   */
  void tried(RequestMetadata metadata, boolean isUnservable);

  /** A request was not tried because it is as long as one that no known worker can take. */
  void tooLong(PendingQueue.Waiting waiting);

  /** Reserves capacity for a request that found no room, if it has waited long enough. */
  CapacityAnswer reserveCapacity(RequestMetadata metadata, Decision decision, TimePoint now);

  /** Charges a tenant for a request that is dispatched for the first time. */
  void charge(RequestMetadata metadata, TimePoint now);
}
