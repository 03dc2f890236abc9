package io.sluice.worker.generation;

import io.sluice.common.protocol.Assignment;
import java.util.Map;
import java.util.Optional;

/**
 * An assignment with what it is about.
 *
 * @param body the request's body, unchanged
 * @param correlationId Spring's, to be carried back by the terminal record
 * @param traceHeaders W3C trace context, to be carried to the engine
 */
@SuppressWarnings("ArrayRecordComponent") // never changed, never compared
public record AssignedRequest(
    Assignment assignment,
    byte[] body,
    Optional<byte[]> correlationId,
    Map<String, String> traceHeaders) {
  public AssignedRequest {
    traceHeaders = Map.copyOf(traceHeaders);
  }
}
