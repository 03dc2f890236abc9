package io.sluice.router.request;

/**
 * One moment, by both clocks.
 *
 * @param epochMillis the wall clock, for what is stored or comes from elsewhere
 * @param nanos the monotonic clock, for how long something has been silent
 */
public record TimePoint(long epochMillis, long nanos) {}
