/**
 * The {@code /metrics} page: every series of a vLLM 0.30 server with its names, labels, order and
 * buckets, in the text format of Python's prometheus_client.
 */
@NullMarked
package io.sluice.simulator.metrics;

import org.jspecify.annotations.NullMarked;
