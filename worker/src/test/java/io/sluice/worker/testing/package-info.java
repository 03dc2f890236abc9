/** The environment of a worker in memory: a log, an engine that follows a script, manual clocks. */
@NullMarked
package io.sluice.worker.testing;

import org.jspecify.annotations.NullMarked;
