/** {@code bench soak}: whether a pool's processes grow under a steady load. */
@NullMarked
package io.sluice.bench.soak;

import org.jspecify.annotations.NullMarked;
