/**
 * Fitting the simulator to a real engine: measuring it over HTTP, the regression, the profile file,
 * and holding the fitted simulator against the engine under the same load.
 */
@NullMarked
package io.sluice.simulator.fit;

import org.jspecify.annotations.NullMarked;
