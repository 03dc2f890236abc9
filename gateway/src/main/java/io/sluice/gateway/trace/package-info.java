/** The gateway's span of a request that it sends to the pool. */
@NullMarked
package io.sluice.gateway.trace;

import org.jspecify.annotations.NullMarked;
