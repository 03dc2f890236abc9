/** Plans faults and injects them into the pool. */
@NullMarked
package io.sluice.bench.torture.faults;

import org.jspecify.annotations.NullMarked;
