package io.sluice.producer.batch;

/**
 * How measured values are distributed.
 *
 * @param count of how many values; with 0 the others mean nothing
 */
public record Percentiles(long count, long p50, long p95) {}
