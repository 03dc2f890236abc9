package io.sluice.router.schedule;

import io.sluice.router.policy.Decision;
import io.sluice.router.request.RequestMetadata;
import java.util.Optional;

/**
 * A request was given to a worker.
 *
 * @param decision names the worker
 * @param attempt which attempt of the request this is, from 1
 * @param fallbackModel the model under which the worker serves it, where that is not the one asked
 *     for
 * @param atEpochMillis when
 */
public record DispatchEvent(
    RequestMetadata metadata,
    Decision decision,
    int attempt,
    Optional<String> fallbackModel,
    long atEpochMillis) {

  /** The worker that got it. */
  public String worker() {
    return decision.chosen().orElseThrow();
  }

  /** How long the request had waited, in milliseconds since its append time. */
  public long waitedMillis() {
    return Math.max(0, atEpochMillis - metadata.appendTimeMillis());
  }
}
