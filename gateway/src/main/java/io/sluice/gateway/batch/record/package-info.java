/** The records of {@code sluice.batches}, and the fold that tells what a batch has reached. */
@NullMarked
package io.sluice.gateway.batch.record;

import org.jspecify.annotations.NullMarked;
