package io.sluice.producer.batch;

/**
 * Percentiles of measured values.
 *
 * @param count the number of values; if it is 0, the percentiles have no meaning
 */
public record Percentiles(long count, long p50, long p95) {}
