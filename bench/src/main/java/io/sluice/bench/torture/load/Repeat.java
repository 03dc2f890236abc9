package io.sluice.bench.torture.load;

import java.time.Duration;
import java.util.Optional;

/**
 * A request's id, used once more.
 *
 * @param after it was sent first
 * @param tenant who repeats it
 * @param replyTo another reply topic, if it is not the usual one
 */
public record Repeat(Duration after, String topic, String tenant, Optional<String> replyTo) {}
