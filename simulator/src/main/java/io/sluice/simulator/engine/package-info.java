/**
 * The engine core: continuous batching, paged KV blocks and a step-time model. Pure: no HTTP, no
 * threads and no wall clock, so that the same core runs in real time behind HTTP and in virtual
 * time inside a test or a bench.
 */
@NullMarked
package io.sluice.simulator.engine;

import org.jspecify.annotations.NullMarked;
