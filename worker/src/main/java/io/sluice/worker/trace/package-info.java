/** The worker's spans: one of an attempt, and one of its call to the engine. */
@NullMarked
package io.sluice.worker.trace;

import org.jspecify.annotations.NullMarked;
