package io.sluice.worker.generation;

/**
 * What the parts of one attempt share.
 *
 * @param memory what the request holds
 */
record Attempt(
    Services services,
    AssignedRequest request,
    ReplyWriter writer,
    LeaseSupervisor lease,
    TokenLoad load,
    HeldMemory.Part memory) {}
