package io.sluice.common.protocol;

import java.util.Objects;

/**
 * An attempt at a request that ended without an answer.
 *
 * @param attempt 1, 2, ...
 * @param worker the worker that had the request
 * @param lease the assignment under which it had the request
 * @param startEpochMillis when the router sent the assignment; 0 if that is not known
 * @param endEpochMillis when the router learned that the attempt was over
 * @param tokens output tokens in the log by then, over all attempts
 * @param end how the attempt ended
 */
public record PastAttempt(
    int attempt,
    String worker,
    String lease,
    long startEpochMillis,
    long endEpochMillis,
    int tokens,
    AttemptEnd end) {

  public PastAttempt {
    Objects.requireNonNull(worker, "the past attempt has no worker");
    Objects.requireNonNull(lease, "the past attempt has no lease");
    Objects.requireNonNull(end, "the past attempt has no end");
  }
}
