/**
 * The processes of a pool, the network links between them, and their clocks. Faults act on all of
 * them.
 */
@NullMarked
package io.sluice.bench.torture.pool;

import org.jspecify.annotations.NullMarked;
