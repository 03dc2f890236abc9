/**
 * A simulated vLLM server to embed: see {@link io.sluice.simulator.SimulatedEngine}. This package
 * assembles it from the others and leads it through its life.
 */
@NullMarked
package io.sluice.simulator;

import org.jspecify.annotations.NullMarked;
