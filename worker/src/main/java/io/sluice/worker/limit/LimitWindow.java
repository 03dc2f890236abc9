package io.sluice.worker.limit;

import java.util.OptionalDouble;

/**
 * What was observed of an engine between two probes.
 *
 * @param inFlight requests that the worker has in the engine now
 * @param waiting those of them that are in the engine's own queue; 0 if it is not reported
 * @param interTokenMillis mean time between two tokens of a stream; empty if there were none
 * @param kvUsage use of the engine's KV cache, 0 to 1; empty if it is not reported
 * @param preemptions requests that lost their KV cache to others
 * @param interTokens number of intervals between tokens, which is the weight of this window
 * @param firstTokens generations that got their first token
 */
public record LimitWindow(
    int inFlight,
    int waiting,
    OptionalDouble interTokenMillis,
    OptionalDouble kvUsage,
    long preemptions,
    double interTokens,
    double firstTokens) {}
