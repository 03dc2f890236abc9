/**
 * Runs an engine core in real time: one driver thread steps the engine, turns tokens into text,
 * applies stop strings, keeps the statistics and hands outputs to whoever asked.
 */
@NullMarked
package io.sluice.simulator.serving;

import org.jspecify.annotations.NullMarked;
