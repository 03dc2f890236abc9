/**
 * A simulated vLLM server: embed it with {@link io.sluice.simulator.SimulatedEngine}, or run it as
 * the {@code simulator} command.
 */
@NullMarked
package io.sluice.simulator;

import org.jspecify.annotations.NullMarked;
