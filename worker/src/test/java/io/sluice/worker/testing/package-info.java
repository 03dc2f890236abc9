/**
 * A worker's surroundings in memory: a log, an engine that follows a script, clocks that are set.
 */
@NullMarked
package io.sluice.worker.testing;

import org.jspecify.annotations.NullMarked;
