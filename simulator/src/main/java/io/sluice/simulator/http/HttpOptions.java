package io.sluice.simulator.http;

import java.time.Duration;

/**
 * The switches of the HTTP server itself.
 *
 * @param requestIdHeaders whether answers carry {@code X-Request-Id}
 * @param idleTimeout how long an idle connection stays open
 * @param maxBodyBytes larger bodies get 413
 */
public record HttpOptions(boolean requestIdHeaders, Duration idleTimeout, int maxBodyBytes) {}
