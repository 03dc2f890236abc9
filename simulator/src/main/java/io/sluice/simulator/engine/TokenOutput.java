package io.sluice.simulator.engine;

import java.util.Optional;

/**
 * One token that a step produced.
 *
 * @param sequenceId the sequence it belongs to
 * @param tokenId the token
 * @param finish why the sequence ended with this token, if it did
 * @param scheduledNanos when the sequence was first scheduled, on the engine's clock
 * @param preemptions how often the sequence has been preempted so far
 * @param cachedTokens prompt tokens that its first admission found in the prefix cache
 */
public record TokenOutput(
    long sequenceId,
    int tokenId,
    Optional<FinishReason> finish,
    long scheduledNanos,
    int preemptions,
    int cachedTokens) {}
