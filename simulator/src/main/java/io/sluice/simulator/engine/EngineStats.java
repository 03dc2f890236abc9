package io.sluice.simulator.engine;

/**
 * The engine's state and totals.
 *
 * @param running sequences in the running list, including those still being prefilled
 * @param waiting sequences waiting, including preempted and deferred ones
 * @param deferred those of the waiting that a full set of LoRA adapters keeps from running
 * @param kvUsage used blocks / (blocks - 1), from 0 to 1
 * @param preemptions preemptions since the start
 * @param prefixQueriedTokens tokens looked up in the prefix cache at the first admissions of
 *     sequences since the start
 * @param prefixHitTokens tokens found there since the start
 * @param readmittedQueriedTokens tokens looked up when preempted sequences were admitted again
 * @param readmittedHitTokens tokens found there then
 */
public record EngineStats(
    int running,
    int waiting,
    int deferred,
    double kvUsage,
    long preemptions,
    long prefixQueriedTokens,
    long prefixHitTokens,
    long readmittedQueriedTokens,
    long readmittedHitTokens) {}
