package io.sluice.router.schedule;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * One task's requests and their bodies; changelogged, so that they outlive the task. Not
 * thread-safe.
 */
public interface RequestStore {
  /** What is stored under a request's id. */
  Optional<StoredRequest> find(String requestId);

  /** A request that has come and not ended. */
  default Optional<TrackedRequest> get(String requestId) {
    return find(requestId).filter(TrackedRequest.class::isInstance).map(TrackedRequest.class::cast);
  }

  void put(TrackedRequest request);

  /** A request has ended: this takes the place of what was known of it, its body included. */
  void end(EndedRequest ended);

  /** A request that has not come is cancelled. */
  void keep(EarlyCancel cancel);

  /** Of a request that has ended, or has not come, nothing is known any more. */
  void forget(String requestId);

  /** The record of a request that has not ended. */
  Optional<RequestBody> body(String requestId);

  void putBody(String requestId, RequestBody body);

  /** Visits all that is stored, in no order. */
  void forEach(Consumer<StoredRequest> visitor);
}
