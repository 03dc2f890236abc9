package io.sluice.worker.engine;

import java.time.Duration;

/**
 * How long an engine may be silent.
 *
 * @param head from the request, connecting included, to the response's head
 * @param firstToken from the head to the first token: queue and prefill
 * @param stall between tokens
 */
public record EngineTimeouts(Duration head, Duration firstToken, Duration stall) {}
