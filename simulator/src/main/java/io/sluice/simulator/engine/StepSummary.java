package io.sluice.simulator.engine;

/**
 * The effect of one engine step.
 *
 * @param durationNanos the duration of the step; 0 if there was nothing to compute
 * @param prefillTokens the prompt tokens computed, including those recomputed after a preemption
 * @param decodeSequences the number of sequences that had one decode slot
 * @param preemptions the number of sequences that lost their blocks
 */
public record StepSummary(
    long durationNanos, int prefillTokens, int decodeSequences, int preemptions) {}
