/** Monotonic time. */
@NullMarked
package io.sluice.worker.clock;

import org.jspecify.annotations.NullMarked;
