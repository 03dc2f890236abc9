package io.sluice.router.request;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * What one task knows about its requests. It is backed by a changelog, so it survives the task. The
 * requests' records are not in it; see {@link RequestBodies}. Not thread-safe.
 */
public interface RequestStore {
  /** Returns the value that is stored under a request's id, whether it can be read or not. */
  Optional<StoredRequest> find(String requestId);

  /** Returns a request that has arrived and not ended. */
  default Optional<TrackedRequest> get(String requestId) {
    return find(requestId).filter(TrackedRequest.class::isInstance).map(TrackedRequest.class::cast);
  }

  void put(TrackedRequest request);

  /** A request has ended. This replaces its stored value. */
  void end(EndedRequest ended);

  /** Stores a control for a request that has not arrived. */
  void keep(EarlyControl control);

  /** Forgets a request that has ended or has not arrived. */
  void forget(String requestId);

  /** Visits all stored values, in no particular order. */
  void forEach(Consumer<StoredRequest> visitor);
}
