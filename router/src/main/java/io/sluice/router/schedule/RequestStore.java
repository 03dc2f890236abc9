package io.sluice.router.schedule;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * One task's requests and their bodies; changelogged, so that they outlive the task. Not
 * thread-safe.
 */
public interface RequestStore {
  Optional<TrackedRequest> get(String requestId);

  void put(TrackedRequest request);

  void forget(String requestId);

  /** The record of a request that has not ended. */
  Optional<RequestBody> body(String requestId);

  void putBody(String requestId, RequestBody body);

  void forgetBody(String requestId);

  /** Visits all requests, in no order. */
  void forEach(Consumer<TrackedRequest> visitor);
}
