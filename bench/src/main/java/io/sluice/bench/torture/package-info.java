/**
 * A pool of real processes, an adversary that kills, freezes and cuts them off, and a checker that
 * holds every request to the protocol.
 */
@NullMarked
package io.sluice.bench.torture;

import org.jspecify.annotations.NullMarked;
