/**
 * {@code bench bulk}, {@code bench field} and {@code bench restart}: fleets in virtual time next to
 * bulk work, shared by services, and with an engine that restarts.
 */
@NullMarked
package io.sluice.bench.fleet;

import org.jspecify.annotations.NullMarked;
