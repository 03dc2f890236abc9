/** Changes of the KV cache published over ZeroMQ, as vLLM does for cache-aware routers. */
@NullMarked
package io.sluice.simulator.events;

import org.jspecify.annotations.NullMarked;
