/** A pool of separate processes, for clients and load tools. */
@NullMarked
package io.sluice.bench.pool;

import org.jspecify.annotations.NullMarked;
