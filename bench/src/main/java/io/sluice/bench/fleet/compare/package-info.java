/** {@code bench fleet}: Sluice and load balancers, on a trace. */
@NullMarked
package io.sluice.bench.fleet.compare;

import org.jspecify.annotations.NullMarked;
