package io.sluice.worker.evict;

import java.util.OptionalInt;

/**
 * A request in the engine, as far as it matters to who has to leave.
 *
 * @param isBulk whether it can be put off
 * @param isResumable whether another attempt could go on from its tokens
 * @param sinceNanos when it came to this worker, monotonic
 * @param contextTokens what it takes of the KV cache, in tokens
 * @param outputTokens output tokens so far, over all attempts
 * @param addedTokens how many of them this attempt has made
 * @param maxTokens the most output tokens; empty if the engine decides
 * @param evictions how often it was evicted before
 */
public record RunningRequest(
    String lease,
    boolean isBulk,
    boolean isResumable,
    long sinceNanos,
    long contextTokens,
    int outputTokens,
    int addedTokens,
    OptionalInt maxTokens,
    int evictions) {}
