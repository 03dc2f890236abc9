/**
 * The routes of a vLLM server: which endpoint answers a request, how its answer leaves, and which
 * injected faults it meets on the way.
 */
@NullMarked
package io.sluice.simulator.endpoint;

import org.jspecify.annotations.NullMarked;
