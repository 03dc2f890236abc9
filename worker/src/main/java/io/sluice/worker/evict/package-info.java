/** Chooses the bulk requests that a worker evicts to make room for others. */
@NullMarked
package io.sluice.worker.evict;

import org.jspecify.annotations.NullMarked;
