package io.sluice.common.protocol;

/**
 * An attempt at a request that ended without an answer.
 *
 * @param attempt 1, 2, ...
 * @param worker who had it
 * @param lease the assignment under which it had it
 * @param startEpochMillis when the router gave it away; 0 where that is not known
 * @param endEpochMillis when the router heard, or found out, that it was over
 * @param tokens output tokens in the log by then, over all attempts
 * @param end how it ended
 */
public record PastAttempt(
    int attempt,
    String worker,
    String lease,
    long startEpochMillis,
    long endEpochMillis,
    int tokens,
    AttemptEnd end) {}
