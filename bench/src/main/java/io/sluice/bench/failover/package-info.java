/** How long clients of a gateway notice that a part of the pool failed. */
@NullMarked
package io.sluice.bench.failover;

import org.jspecify.annotations.NullMarked;
