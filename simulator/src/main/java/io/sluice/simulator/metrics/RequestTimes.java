package io.sluice.simulator.metrics;

/**
 * The times of one finished request on one clock, in nanoseconds.
 *
 * @param arrivalNanos when the front end accepted it
 * @param queuedNanos when the engine accepted it
 * @param scheduledNanos when it was first scheduled
 * @param firstTokenNanos when its first token was generated
 * @param lastTokenNanos when its last token was generated
 */
public record RequestTimes(
    long arrivalNanos,
    long queuedNanos,
    long scheduledNanos,
    long firstTokenNanos,
    long lastTokenNanos) {}
