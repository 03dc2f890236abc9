package io.sluice.simulator.metrics;

/**
 * The times of one finished request on one clock, in nanoseconds.
 *
 * @param arrivalNanos when the front end took it
 * @param queuedNanos when the engine took it
 * @param scheduledNanos when it was first scheduled
 * @param firstTokenNanos when its first token came
 * @param lastTokenNanos when its last token came
 */
public record RequestTimes(
    long arrivalNanos,
    long queuedNanos,
    long scheduledNanos,
    long firstTokenNanos,
    long lastTokenNanos) {}
