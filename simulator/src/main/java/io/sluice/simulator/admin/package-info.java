/**
 * The operator's side of a simulated engine, on a port of its own: faults at run time, death and
 * restart, and the GPU's temperature.
 */
@NullMarked
package io.sluice.simulator.admin;

import org.jspecify.annotations.NullMarked;
