/**
 * Fits the simulator to a real engine: measurement over HTTP, regression, the profile file, and a
 * comparison of the fitted simulator with the engine under the same load.
 */
@NullMarked
package io.sluice.simulator.fit;

import org.jspecify.annotations.NullMarked;
