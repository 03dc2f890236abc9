package io.sluice.router.request;

/**
 * One point in time, on two clocks.
 *
 * @param epochMillis the wall clock, for stored values and values from elsewhere
 * @param nanos the monotonic clock, for measuring how long something has been silent
 */
public record TimePoint(long epochMillis, long nanos) {}
