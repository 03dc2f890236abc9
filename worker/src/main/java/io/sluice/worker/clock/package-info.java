/**
 * Time as a worker sees it: a monotonic ticker, and the broker's clock as learnt from its
 * acknowledgements.
 */
@NullMarked
package io.sluice.worker.clock;

import org.jspecify.annotations.NullMarked;
