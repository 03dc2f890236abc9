/**
 * The shared state of the fleet in Redis: workers' snapshots, circuit breakers and permits to
 * restart engines.
 */
@NullMarked
package io.sluice.fleet;

import org.jspecify.annotations.NullMarked;
