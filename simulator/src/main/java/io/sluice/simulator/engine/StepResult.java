package io.sluice.simulator.engine;

import java.util.List;

/**
 * What one engine step did.
 *
 * @param durationNanos how long the step takes; the outputs exist when it is over
 * @param outputs one token for every sequence whose known tokens are all computed
 * @param prefillTokens prompt tokens computed, including those recomputed after a preemption
 * @param decodeSequences sequences that were given one decode slot
 */
public record StepResult(
    long durationNanos, List<TokenOutput> outputs, int prefillTokens, int decodeSequences) {}
