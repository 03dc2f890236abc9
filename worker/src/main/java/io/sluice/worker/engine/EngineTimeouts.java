package io.sluice.worker.engine;

import java.time.Duration;

/**
 * Time limits on an engine.
 *
 * @param head from sending the request, connecting included, to the response's head
 * @param firstToken from the head to the first token: queueing and prefill
 * @param stall between tokens
 */
public record EngineTimeouts(Duration head, Duration firstToken, Duration stall) {}
