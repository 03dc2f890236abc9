package io.sluice.worker.health;

import java.time.Duration;
import java.util.OptionalDouble;

/**
 * What an engine that is up did since the previous probe.
 *
 * @param life the number of its process
 * @param added the growth of its counters
 * @param elapsed since the previous probe
 * @param running requests in the engine, from this worker or others
 * @param contextTokens tokens of the contexts of this worker's requests
 * @param waiting requests in the engine's queues
 * @param kvUsage use of its KV cache, 0 to 1; empty for engines without metrics
 */
public record EngineSample(
    long life,
    EngineTotals added,
    Duration elapsed,
    int running,
    long contextTokens,
    int waiting,
    OptionalDouble kvUsage) {}
