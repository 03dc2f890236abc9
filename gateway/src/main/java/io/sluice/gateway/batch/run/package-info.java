/** Runs batches: one gateway runs the batches of a partition, and any other can continue them. */
@NullMarked
package io.sluice.gateway.batch.run;

import org.jspecify.annotations.NullMarked;
