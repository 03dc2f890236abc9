/** The HTTP clients of the pool's gateways, and the checks on what they read. */
@NullMarked
package io.sluice.bench.torture.clients;

import org.jspecify.annotations.NullMarked;
