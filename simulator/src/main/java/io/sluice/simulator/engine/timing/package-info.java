/**
 * How long a step of an engine takes, from a model's size and a GPU's profile. Pure functions of
 * the step's work.
 */
@NullMarked
package io.sluice.simulator.engine.timing;

import org.jspecify.annotations.NullMarked;
