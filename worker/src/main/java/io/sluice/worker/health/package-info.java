/**
 * Probes the engine, judges its health and pace, and publishes the worker's snapshot to the fleet.
 * Also detects that the process was frozen.
 */
@NullMarked
package io.sluice.worker.health;

import org.jspecify.annotations.NullMarked;
