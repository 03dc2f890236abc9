/**
 * The operator's side of a simulated engine, on its own port: faults at run time, death and
 * restart, and the temperature of the GPU.
 */
@NullMarked
package io.sluice.simulator.admin;

import org.jspecify.annotations.NullMarked;
