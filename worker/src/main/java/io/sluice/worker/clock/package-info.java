/** Monotonic time, and what is done at intervals. */
@NullMarked
package io.sluice.worker.clock;

import org.jspecify.annotations.NullMarked;
