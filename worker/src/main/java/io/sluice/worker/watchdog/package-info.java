/**
 * Watches an engine for signs of slow decline, and restarts it: detection, permit, drain, restart,
 * boot, warm-up.
 */
@org.jspecify.annotations.NullMarked
package io.sluice.worker.watchdog;
