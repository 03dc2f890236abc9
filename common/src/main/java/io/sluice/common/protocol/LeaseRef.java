package io.sluice.common.protocol;

/**
 * Names one lease: the assignment of one attempt of a request to one incarnation of a worker.
 *
 * @param attempt 1, 2, ...
 * @param lease unique id of the assignment
 */
public record LeaseRef(
    String requestId, int attempt, String lease, String worker, String incarnation) {}
