/** Fleets of simulated engines behind different load balancers, in virtual time. */
@NullMarked
package io.sluice.bench.fleet;

import org.jspecify.annotations.NullMarked;
