package io.sluice.simulator.engine;

/**
 * What one engine step did.
 *
 * @param durationNanos how long the step takes; 0 if there was nothing it could compute
 * @param prefillTokens prompt tokens computed, including those recomputed after a preemption
 * @param decodeSequences sequences that were given one decode slot
 * @param preemptions sequences that lost their blocks
 */
public record StepSummary(
    long durationNanos, int prefillTokens, int decodeSequences, int preemptions) {}
