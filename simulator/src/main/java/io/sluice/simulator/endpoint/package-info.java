/**
 * The routes of a vLLM server: which endpoint answers a request, how its answer is sent, and which
 * injected faults apply to it.
 */
@NullMarked
package io.sluice.simulator.endpoint;

import org.jspecify.annotations.NullMarked;
