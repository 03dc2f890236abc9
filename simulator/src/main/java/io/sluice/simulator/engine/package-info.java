/**
 * The engine core: continuous batching, paged KV blocks and a step-time model. It has no HTTP, no
 * threads and no wall clock, so that the same core runs in real time behind HTTP and in virtual
 * time in a test or benchmark.
 */
@NullMarked
package io.sluice.simulator.engine;

import org.jspecify.annotations.NullMarked;
