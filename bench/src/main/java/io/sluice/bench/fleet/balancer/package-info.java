/** Load balancers that Sluice is compared with, in virtual time. */
@NullMarked
package io.sluice.bench.fleet.balancer;

import org.jspecify.annotations.NullMarked;
