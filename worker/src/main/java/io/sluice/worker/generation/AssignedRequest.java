package io.sluice.worker.generation;

import io.sluice.common.protocol.Assignment;
import io.sluice.worker.clock.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * An assignment with what it is about.
 *
 * @param body the request's body, unchanged
 * @param correlationId Spring's, to be carried back by the terminal record
 * @param traceHeaders W3C trace context, to be carried to the engine
 * @param receivedNanos when it was received, by the worker's ticker
 */
@SuppressWarnings("ArrayRecordComponent") // never changed, never compared
public record AssignedRequest(
    Assignment assignment,
    byte[] body,
    Optional<byte[]> correlationId,
    Map<String, String> traceHeaders,
    long receivedNanos) {
  public AssignedRequest {
    traceHeaders = Map.copyOf(traceHeaders);
  }

  /** How old the request is: as old as it was for the router, and what has passed since. */
  Duration age(Ticker ticker) {
    return Duration.ofMillis(Math.max(0, assignment.ageMillis())).plus(ticker.since(receivedNanos));
  }
}
