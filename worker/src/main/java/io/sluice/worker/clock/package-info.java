/** Time as a worker counts it: by a monotonic ticker. */
@NullMarked
package io.sluice.worker.clock;

import org.jspecify.annotations.NullMarked;
