/** {@code bench fleet}: Sluice beside load balancers, on a trace. */
@NullMarked
package io.sluice.bench.fleet.compare;

import org.jspecify.annotations.NullMarked;
