/**
 * Runs an engine in real time: one driver thread steps the engine, turns tokens into text, applies
 * stop strings, records statistics and delivers outputs to listeners.
 */
@NullMarked
package io.sluice.simulator.serving;

import org.jspecify.annotations.NullMarked;
