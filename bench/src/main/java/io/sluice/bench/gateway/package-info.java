/** HTTP clients of gateways that read answers to their end, whatever happens to a gateway. */
@NullMarked
package io.sluice.bench.gateway;

import org.jspecify.annotations.NullMarked;
