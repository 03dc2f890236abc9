/** The OpenAI-compatible HTTP surface of a vLLM server on Netty: routes, SSE frames and errors. */
@NullMarked
package io.sluice.simulator.http;

import org.jspecify.annotations.NullMarked;
