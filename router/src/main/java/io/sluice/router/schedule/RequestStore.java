package io.sluice.router.schedule;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * One task's requests and their bodies; changelogged, so that they outlive the task. Not
 * thread-safe.
 */
public interface RequestStore {
  /** A request that has not ended. */
  Optional<TrackedRequest> get(String requestId);

  void put(TrackedRequest request);

  /** One that has. */
  Optional<EndedRequest> ended(String requestId);

  /** A request has ended: this takes the place of what was known of it, its body included. */
  void end(EndedRequest ended);

  /** An ended request is forgotten. */
  void forget(String requestId);

  /** The record of a request that has not ended. */
  Optional<RequestBody> body(String requestId);

  void putBody(String requestId, RequestBody body);

  /** Visits all requests, in no order. */
  void forEach(Consumer<TrackedRequest> open, Consumer<EndedRequest> ended);
}
