package io.sluice.simulator.http;

import java.time.Duration;

/**
 * The options of the HTTP server.
 *
 * @param requestIdHeaders whether answers carry {@code X-Request-Id}
 * @param idleTimeout how long an idle connection stays open
 * @param maxBodyBytes the largest accepted body; larger ones get 413
 */
public record HttpOptions(boolean requestIdHeaders, Duration idleTimeout, int maxBodyBytes) {}
