/**
 * Runs a pool of real processes under load, injects faults into it, and checks every request
 * against docs/protocol.md.
 */
@NullMarked
package io.sluice.bench.torture;

import org.jspecify.annotations.NullMarked;
