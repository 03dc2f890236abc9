package io.sluice.bench.torture.load;

import java.time.Duration;
import java.util.Optional;

/**
 * A later request with an id that was used before.
 *
 * @param after how long after the first request it is sent
 * @param tenant the tenant that sends it
 * @param replyTo its reply topic, if it is not the usual one
 */
public record Repeat(Duration after, String topic, String tenant, Optional<String> replyTo) {}
