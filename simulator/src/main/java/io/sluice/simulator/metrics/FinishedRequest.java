package io.sluice.simulator.metrics;

import io.sluice.simulator.engine.FinishReason;

/**
 * What the statistics keep of a finished request; each of {@code n} choices is a request.
 *
 * @param reason why it ended
 * @param promptTokens the length of its prompt
 * @param outputTokens the tokens it generated
 * @param maxTokens the limit it had
 * @param preemptions how often it was preempted
 * @param cachedTokens prompt tokens that came from the prefix cache
 * @param times when it did what
 */
public record FinishedRequest(
    FinishReason reason,
    int promptTokens,
    int outputTokens,
    int maxTokens,
    int preemptions,
    int cachedTokens,
    RequestTimes times) {}
