package io.sluice.simulator.engine;

import java.util.Optional;

/**
 * One token that a step produced.
 *
 * @param sequenceId the id of its sequence
 * @param tokenId the token
 * @param finish why the sequence ended with this token, if it did
 * @param scheduledNanos the time at which the sequence was first scheduled, on the engine's clock
 * @param preemptions the number of preemptions of the sequence so far
 * @param cachedTokens the number of prompt tokens that its first admission found in the prefix
 *     cache
 */
public record TokenOutput(
    long sequenceId,
    int tokenId,
    Optional<FinishReason> finish,
    long scheduledNanos,
    int preemptions,
    int cachedTokens) {}
