package io.sluice.router.schedule.task;

import io.sluice.router.policy.Decision;
import io.sluice.router.request.RequestMetadata;
import java.util.Optional;

/**
 * One dispatch of a request to a worker.
 *
 * @param decision names the worker
 * @param attempt the number of the attempt, from 1
 * @param fallbackModel the model under which the worker serves the request, if it is not the
 *     requested one
 * @param atEpochMillis the time of the dispatch
 * @param prefixWaitMillis for how long it waited for a worker that had its prompt cached, although
 *     it could be dispatched
 */
public record DispatchEvent(
    RequestMetadata metadata,
    Decision decision,
    int attempt,
    Optional<String> fallbackModel,
    long atEpochMillis,
    long prefixWaitMillis) {

  /** Returns the worker that received the request. */
  public String worker() {
    return decision.chosen().orElseThrow();
  }

  /** Returns how long the request waited, in milliseconds since its append time. */
  public long waitedMillis() {
    return Math.max(0, atEpochMillis - metadata.appendTimeMillis());
  }
}
