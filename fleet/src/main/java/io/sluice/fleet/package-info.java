/**
 * The shared state of the fleet in Redis: workers' snapshots, circuit breakers, and what routers
 * tell each other.
 */
@NullMarked
package io.sluice.fleet;

import org.jspecify.annotations.NullMarked;
