/**
 * A simulated vLLM server that can be embedded: see {@link io.sluice.simulator.SimulatedEngine}.
 * This package assembles the server from the other packages and manages its lifecycle.
 */
@NullMarked
package io.sluice.simulator;

import org.jspecify.annotations.NullMarked;
