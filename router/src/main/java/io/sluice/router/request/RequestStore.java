package io.sluice.router.request;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * What one task knows of its requests; changelogged, so that it outlives the task. Their records
 * are not in it, see {@link RequestBodies}. Not thread-safe.
 */
public interface RequestStore {
  /** What is stored under a request's id. */
  Optional<StoredRequest> find(String requestId);

  /** A request that has come and not ended. */
  default Optional<TrackedRequest> get(String requestId) {
    return find(requestId).filter(TrackedRequest.class::isInstance).map(TrackedRequest.class::cast);
  }

  void put(TrackedRequest request);

  /** A request has ended: this takes the place of what was known of it. */
  void end(EndedRequest ended);

  /** Something is asked of a request that has not come. */
  void keep(EarlyControl control);

  /** Of a request that has ended, or has not come, nothing is known any more. */
  void forget(String requestId);

  /** Visits all that is stored, in no order. */
  void forEach(Consumer<StoredRequest> visitor);
}
