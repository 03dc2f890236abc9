/** The clients that run batches at the pool's gateways, and the checks on the results. */
@NullMarked
package io.sluice.bench.torture.batches;

import org.jspecify.annotations.NullMarked;
