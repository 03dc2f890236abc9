/** Publishes changes of the KV cache over ZeroMQ, as vLLM does for cache-aware routers. */
@NullMarked
package io.sluice.simulator.events;

import org.jspecify.annotations.NullMarked;
