/**
 * What a worker knows of its engine and tells the fleet: probe, scrapes, heartbeat, and the watch
 * for a frozen process.
 */
@NullMarked
package io.sluice.worker.health;

import org.jspecify.annotations.NullMarked;
