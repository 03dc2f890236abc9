package io.sluice.simulator.metrics;

import io.sluice.simulator.engine.FinishReason;

/**
 * A finished request in the statistics. Each of {@code n} choices counts as a request.
 *
 * @param reason why it ended
 * @param promptTokens the length of its prompt
 * @param outputTokens the number of generated tokens
 * @param maxTokens its token limit
 * @param preemptions the number of its preemptions
 * @param cachedTokens the number of prompt tokens from the prefix cache
 * @param times the times of its phases
 */
public record FinishedRequest(
    FinishReason reason,
    int promptTokens,
    int outputTokens,
    int maxTokens,
    int preemptions,
    int cachedTokens,
    RequestTimes times) {}
