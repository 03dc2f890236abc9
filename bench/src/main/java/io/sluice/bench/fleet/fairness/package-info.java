/** How evenly tenants share a fleet, in virtual time. */
@NullMarked
package io.sluice.bench.fleet.fairness;

import org.jspecify.annotations.NullMarked;
