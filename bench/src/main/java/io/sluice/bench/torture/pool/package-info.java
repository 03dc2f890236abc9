/**
 * The processes of a pool, the network links between them and their clocks, all of which can be
 * disturbed.
 */
@NullMarked
package io.sluice.bench.torture.pool;

import org.jspecify.annotations.NullMarked;
