package io.sluice.simulator.engine;

/**
 * The state and totals of an engine.
 *
 * @param running the number of running sequences, including those still in prefill
 * @param waiting the number of waiting sequences, including preempted and deferred ones
 * @param deferred the number of waiting sequences that a full set of LoRA adapters keeps from
 *     running
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
