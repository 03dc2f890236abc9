package io.sluice.worker.generation;

import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Assignment;
import io.sluice.worker.clock.Ticker;
import io.sluice.worker.trace.AttemptTrace;
import java.time.Duration;
import java.util.Optional;

/**
 * An assignment together with its request.
 *
 * @param body the request's body, unchanged
 * @param correlationId Spring's correlation id, which the terminal record carries back
 * @param trace the trace of the attempt, for the thread that runs it
 * @param receivedNanos when it was received, by the worker's ticker
 */
@SuppressWarnings("ArrayRecordComponent") // never changed, never compared
public record AssignedRequest(
    Assignment assignment,
    byte[] body,
    Optional<byte[]> correlationId,
    AttemptTrace trace,
    long receivedNanos) {
  /**
   * Returns the age of the request: its age when the router assigned it, plus the time since then.
   */
  Duration age(Ticker ticker) {
    return Duration.ofMillis(Math.max(0, assignment.ageMillis())).plus(ticker.since(receivedNanos));
  }

  /** Returns the model under which the request is served. */
  String model(OpenAiRequest parsed) {
    return assignment.fallbackModel().orElse(parsed.model());
  }
}
