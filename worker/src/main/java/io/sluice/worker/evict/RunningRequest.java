package io.sluice.worker.evict;

import java.util.OptionalInt;

/**
 * A request in the engine, as far as it matters for eviction.
 *
 * @param isBulk whether it can be evicted
 * @param isResumable whether another attempt could continue after its tokens
 * @param sinceNanos when it came to this worker, in monotonic time
 * @param contextTokens its share of the KV cache, in tokens
 * @param outputTokens output tokens so far, over all attempts
 * @param addedTokens output tokens of this attempt
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
